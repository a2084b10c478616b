import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrap } from '../output/print.ts'
import { packageRoot } from '../version.ts'

/** A page of the manual that is not about one command. */
export interface Topic {
  /** Behind `deposit help`. */
  readonly name: string
  readonly summary: string
  /** The section of the manual. */
  readonly section: 3 | 5 | 7 | 8
  /** Name of the page. */
  readonly page: string
  /** Commands whose help names it. */
  readonly commands: readonly string[]
}

/** In the order of `deposit --help`. A name that a command has is that of the whole page. */
export const topics: readonly Topic[] = [
  {
    name: 'metadata',
    summary: 'the fields of metadata.yaml',
    section: 5,
    page: 'deposit-metadata',
    commands: ['init', 'create', 'check', 'update', 'patch', 'edit'],
  },
  {
    name: 'formats',
    summary: 'formats in which a record can be exported',
    section: 7,
    page: 'deposit-formats',
    commands: ['export', 'cite'],
  },
  {
    name: 'undoing',
    summary: 'how to undo changes and restore deleted files',
    section: 7,
    page: 'deposit-undoing',
    commands: ['history', 'undo', 'restore', 'rm'],
  },
  {
    name: 'exit',
    summary: 'exit statuses, and failures as JSON',
    section: 7,
    page: 'deposit-exit',
    commands: ['release', 'batch'],
  },
  {
    name: 'sign-in',
    summary: 'how people and programs sign in',
    section: 7,
    page: 'deposit-sign-in',
    commands: ['login', 'logout', 'token', 'whoami'],
  },
  {
    name: 'deposit-uploads',
    summary: 'how interrupted uploads resume',
    section: 7,
    page: 'deposit-uploads',
    commands: ['upload', 'uploads'],
  },
  {
    name: 'withdrawal',
    summary: 'how to withdraw a record, and what stays',
    section: 7,
    page: 'deposit-withdrawal',
    commands: ['withdraw', 'restore-record'],
  },
  {
    name: 'sharing',
    summary: 'who may see and change a deposit',
    section: 7,
    page: 'deposit-people',
    commands: ['share', 'unshare', 'people', 'transfer', 'link'],
  },
  {
    name: 'review',
    summary: 'how drafts are reviewed before publication',
    section: 7,
    page: 'deposit-review',
    commands: ['submit', 'take-back', 'reviews', 'return', 'accept'],
  },
  {
    name: 'remotes',
    summary: 'how deposits go to Zenodo, Dataverse and others',
    section: 7,
    page: 'deposit-remotes',
    commands: ['remote', 'push', 'pull'],
  },
  {
    name: 'rdm',
    summary: 'how programs made for InvenioRDM use the service',
    section: 7,
    page: 'deposit-rdm',
    commands: [],
  },
  {
    name: 'zenodo',
    summary: 'how programs made for Zenodo use the service',
    section: 7,
    page: 'deposit-zenodo',
    commands: [],
  },
  {
    name: 'client',
    summary: 'the client as a library for Node.js',
    section: 3,
    page: 'deposit-client',
    commands: [],
  },
  {
    name: 'config',
    summary: 'settings of the service, for its operator',
    section: 5,
    page: 'deposit-config',
    commands: [],
  },
  {
    name: 'depositd',
    summary: 'the service, for its operator',
    section: 8,
    page: 'depositd',
    commands: ['daemon'],
  },
  {
    name: 'deployment',
    summary: 'how to install, monitor, back up and upgrade the service',
    section: 8,
    page: 'depositd-deployment',
    commands: [],
  },
]

/** By its name, or by that of its page: `exit`, `deposit-exit`. */
export function findTopic(name: string): Topic | undefined {
  return topics.find((topic) => topic.name === name || topic.page === name)
}

/** The lines about topics at the end of `deposit --help`. */
export function listTopics(): string {
  const width = Math.max(...topics.map(({ name }) => name.length))
  const lines = topics.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return ['Topics:', ...lines].join('\n')
}

/** The line at the end of the help of a command; empty without a topic. */
export function topicOf(command: string): string {
  const topic = topics.find(({ commands }) => commands.includes(command))
  return topic === undefined ? '' : `\n\`deposit help ${topic.name}\` explains ${topic.summary}.`
}

/** The page of a topic as text of so many columns. */
export function readTopic({ page, section }: Topic, columns: number): readonly string[] {
  const path = join(packageRoot, 'man', `man${section}`, `${page}.${section}`)
  return toText(readFileSync(path, 'utf8').split('\n'), columns)
}

/** Columns before paragraphs, and before the text that belongs to a term. */
const margins = { paragraph: 2, meaning: 6 } as const

/** What the lines below a request of roff are. */
type State = 'paragraph' | 'term' | 'meaning' | 'verbatim'

/** The roff that `man/roff.ts` writes, as text. */
function toText(lines: readonly string[], columns: number): readonly string[] {
  const text: string[] = []
  let state: State = 'paragraph'
  let open: string[] = []
  const close = (): void => {
    if (open.length > 0) text.push(...fill(open.join(' '), state, columns))
    open = []
  }
  for (const line of lines) {
    const [, request, rest = ''] = /^\.([A-Z]{2}|nf|fi) ?(.*)$/.exec(line) ?? []
    if (request === undefined && state === 'verbatim') text.push(verbatim(line))
    else if (request === undefined && state === 'term') {
      text.push(...fill(line, 'paragraph', columns))
      state = 'meaning'
    } else if (request === undefined) open.push(line)
    else {
      close()
      if (request === 'SH' || request === 'SS') text.push('', unescape(rest))
      if (['PP', 'TP', 'IP'].includes(request)) text.push('')
      state = states[request] ?? state
      if (request === 'IP') open.push(rest.replace(/ 4$/, ''))
    }
  }
  close()
  return text
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .split('\n')
}

const states: Readonly<Record<string, State>> = {
  SH: 'paragraph',
  SS: 'paragraph',
  PP: 'paragraph',
  IP: 'paragraph',
  TP: 'term',
  nf: 'verbatim',
  fi: 'paragraph',
}

function fill(line: string, state: State, columns: number): readonly string[] {
  const margin = state === 'meaning' ? margins.meaning : margins.paragraph
  return wrap(' '.repeat(margin) + unescape(line).trim(), columns, 0)
}

function verbatim(line: string): string {
  return line === '' ? '' : ' '.repeat(margins.meaning) + unescape(line)
}

/** Without fonts. @see man/roff.ts */
function unescape(text: string): string {
  return text.replaceAll(
    /\\(?:f[BIPR]|\(bu|\[u([0-9A-F]+)\]|([e&-]))/g,
    (escaped, code?: string, sign?: string) => {
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
      if (escaped === String.raw`\(bu`) return '•'
      return sign === 'e' ? '\\' : sign === '-' ? '-' : ''
    },
  )
}
