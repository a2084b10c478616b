import { isOrganization } from '../../core/contract/person-names.ts'
import { checkDocument } from '../check/check-document.ts'
import type { Metadata } from '../client/deposit-client.ts'
import { plain } from '../plain.ts'
import type { Keyboard } from '../session/keyboard.ts'

interface Questions extends Pick<Keyboard, 'ask'> {
  /** Tells a person what is wrong with an answer. */
  readonly tell: (line: string) => void
  /** Answers that Enter takes. */
  readonly known: Metadata
  /** Taken for the title where none is known. */
  readonly folderName: string
}

/**
 * Asks for the fields that a record needs most. A field without an answer is left out.
 *
 * @throws {DOMException} `AbortError`: the person gave up
 */
export async function askMetadata(questions: Questions): Promise<Metadata> {
  const { known, folderName } = questions
  const text = async (name: string, question: string, preset = ''): Promise<Metadata> => {
    const own = known[name]
    const given = typeof own === 'string' ? own : preset
    const answer = await askField(
      questions,
      name,
      withPreset(question, given),
      (line) => line || given,
    )
    return answer === '' ? {} : { [name]: answer }
  }
  return {
    ...known,
    ...(await text('title', 'Title', folderName)),
    ...(await askCreators(questions)),
    ...(await text('description', 'Description, or Enter to write it later')),
    ...(await askKeywords(questions)),
    ...(await text('resource_type', 'Type, such as dataset, software, text, image', 'dataset')),
    ...(await text('license', 'License, as an SPDX identifier', 'CC-BY-4.0')),
  }
}

function withPreset(question: string, preset: string): string {
  const shown = preset.length > 60 ? `${preset.slice(0, 60)}…` : preset
  return shown === '' ? `${question}: ` : `${question} [${plain(shown)}]: `
}

async function askKeywords(questions: Questions): Promise<Metadata> {
  const { keywords: known = [] } = questions.known
  const given = Array.isArray(known) ? known.map(String).join(', ') : ''
  const question = withPreset('Keywords, separated by commas', given)
  const toValue = (line: string): unknown => line && toKeywords(line)
  const answer = await askField(questions, 'keywords', question, toValue)
  return answer === '' ? {} : { keywords: toKeywords(answer) }
}

function toKeywords(line: string): readonly string[] {
  return line
    .split(/[,;]/)
    .map((word) => word.trim())
    .filter(Boolean)
}

async function askCreators(questions: Questions): Promise<Metadata> {
  const known = peopleIn(questions.known)
  const names = known.map(({ name }) => String(name)).join('; ')
  const first = await askName(questions, withPreset('Creator, as "Family, Given"', names))
  if (first === '' && known.length === 0) return {}
  // The names of a file are whole; git knows no ORCID iD.
  const [one, ...others] = first === '' ? known : [{ name: first }]
  const isWhole = others.length > 0 || one?.['orcid'] !== undefined
  const creators = isWhole ? known : [await withOrcid(questions, { ...one })]
  if (first === '' && isWhole) return { creators }
  return { creators: [...creators, ...(await askMore(questions))] }
}

async function askMore(questions: Questions): Promise<readonly Metadata[]> {
  const name = await askName(questions, 'Another creator, or Enter: ')
  if (name === '') return []
  return [await withOrcid(questions, { name }), ...(await askMore(questions))]
}

async function askName(questions: Questions, question: string): Promise<string> {
  const name = await askField(questions, 'creators', question, (line) => line && [{ name: line }])
  const words = name.trim().split(/\s+/)
  // Without a comma, it is cited whole, as the name of an organization is.
  const isClear = words.length < 2 || name.includes(',') || isOrganization(name)
  return isClear ? name : askFamily(questions, words)
}

/** @param words a name in the order in which it is spoken */
async function askFamily(questions: Questions, words: readonly string[]): Promise<string> {
  const [whole, last = ''] = [words.join(' '), words.at(-1)]
  const ask = `Family name of ${plain(whole)} [${plain(last)}], or - for an organization: `
  const family = (await questions.ask(ask)).trim() || last
  if (family === '-') return whole
  const [isLast, isFirst] = [whole.endsWith(` ${family}`), whole.startsWith(`${family} `)]
  if (isLast) return `${family}, ${whole.slice(0, -family.length - 1)}`
  if (isFirst) return `${family}, ${whole.slice(family.length + 1)}`
  questions.tell(`${plain(family)} is not at the end or the beginning of ${plain(whole)}`)
  return askFamily(questions, words)
}

async function withOrcid(questions: Questions, person: Metadata): Promise<Metadata> {
  const name = String(person['name'])
  if (isOrganization(name) || (name.includes(' ') && !name.includes(','))) return person
  const question = `ORCID iD of ${plain(name)}, or Enter: `
  const toValue = (orcid: string): unknown => orcid && [{ ...person, orcid }]
  const orcid = await askField(questions, 'creators', question, toValue)
  return orcid === '' ? person : { ...person, orcid }
}

/**
 * Asks until the schema takes the answer. An answer that is only doubtful is taken the second time.
 *
 * @param toValue the value of the field; empty for none
 */
async function askField(
  questions: Questions,
  name: string,
  question: string,
  toValue: (answer: string) => unknown,
  doubted?: string,
): Promise<string> {
  const answer = await questions.ask(question)
  const value = toValue(answer)
  if (value === '') return ''
  const { errors, warnings } = await checkDocument({ [name]: value }, 'edit')
  const faults = answer === doubted ? errors : [...errors, ...warnings]
  const [fault] = faults.filter(({ field }) => field.startsWith(`/${name}`))
  if (fault === undefined) return typeof value === 'string' ? value : answer
  questions.tell(plain(fault.message))
  return askField(questions, name, question, toValue, answer)
}

function peopleIn({ creators }: Metadata): readonly Metadata[] {
  const isPerson = (one: unknown): one is Metadata => typeof one === 'object' && one !== null
  return Array.isArray(creators) ? creators.filter(isPerson) : []
}
