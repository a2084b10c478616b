import { parentPort, type Worker } from 'node:worker_threads'
import { startThread } from './threads.ts'

interface Asked<Question> {
  readonly number: number
  readonly question: Question
}

type Answered<Answer> =
  | { readonly number: number; readonly answer: Answer }
  | { readonly number: number; readonly error: unknown }

/**
 * A thread that answers one question after another, for work that would hold up the event loop. It is
 * started with the first question, and again after it has failed; idle, it keeps no process alive.
 */
export class AskedThread<Question, Answer> implements AsyncDisposable {
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>()
  readonly #begin: () => Worker
  #worker: Worker | undefined
  #last = 0

  /**
   * @param module `import.meta.url` of the module that has the script beside it
   * @param script its name without extension; it calls `answerQuestions`
   * @param name of the thread, for people
   */
  constructor(module: string, script: string, name: string) {
    this.#begin = () => startThread(module, script, { name })
  }

  /** @throws whatever the script throws; an error when the thread ends before it has answered */
  ask(question: Question): Promise<Answer> {
    const worker = (this.#worker ??= this.#start())
    const number = (this.#last += 1)
    const answered = Promise.withResolvers<Answer>()
    this.#waiting.set(number, answered)
    worker.ref()
    worker.postMessage({ number, question } satisfies Asked<Question>)
    return answered.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = this.#begin()
    let failure: unknown
    worker.on('message', (heard: Answered<Answer>) => this.#hear(worker, heard))
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('exit', () => this.#fail(failure))
    return worker
  }

  #hear(worker: Worker, heard: Answered<Answer>): void {
    const asked = this.#waiting.get(heard.number)
    this.#waiting.delete(heard.number)
    if (this.#waiting.size === 0) worker.unref()
    if ('error' in heard) asked?.reject(heard.error)
    else asked?.resolve(heard.answer)
  }

  #fail(cause: unknown): void {
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) {
      reject(new Error('A thread ended before it had answered', { cause }))
    }
    this.#waiting.clear()
  }
}

/** Answers the questions to this thread. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Answer): void {
  parentPort?.on('message', ({ number, question }: Asked<Question>) => {
    let answered: Answered<Answer>
    try {
      answered = { number, answer: answer(question) }
    } catch (error) {
      answered = { number, error }
    }
    parentPort?.postMessage(answered)
  })
}
