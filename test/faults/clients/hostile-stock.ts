import { bodyOf } from '../../support/http.ts'
import type { User } from '../../support/user.ts'
import type { DepositBody } from '../../../core/contract/schemas.ts'
import type { Random } from '../random.ts'
import type { Service } from '../service.ts'
import { Tester } from '../tester.ts'

/** Amounts of data that the clients ask for. */
export interface Scale {
  /** Drafts of 1 MiB of one owner. */
  readonly drafts: number
  /** Revisions of 1 MiB of one record. */
  readonly revisions: number
  /** Owners who have not searched yet. */
  readonly owners: number
  /** Large documents with words of each of these owners, and as many with numbers. */
  readonly documents: number
  /** Clients that search the records. */
  readonly searchers: number
  /** Edits of lists of 30,000 objects that conflict with a later change. */
  readonly merges: number
}

/** The data, with the users who may ask for it. */
export interface Stock {
  readonly lister: User
  readonly record: DepositBody
  readonly revised: DepositBody
  readonly owners: readonly User[]
  readonly searchers: number
  readonly editor: User
  readonly edits: readonly DepositBody[]
  /** Reads and rewrites the largest drafts: of one long text, and of many objects. */
  readonly author: User
  readonly largest: readonly DepositBody[]
}

/** The document of the largest draft of many objects. */
export const manyObjects = {
  title: 'objects',
  values: Array.from({ length: 49_900 }, (_, a) => ({ a })),
}

/** Characters of the large documents, just below the limit. */
const large = 990_000
const listLength = 30_000

/** Stores documents that are costly to show, to list, to search and to merge. */
export async function stockUp(service: Service, random: Random, scale: Scale): Promise<Stock> {
  const { user: lister } = await Tester.at(service, random, 'lister')
  const { user: editor } = await Tester.at(service, random, 'editor')
  const { user: curator } = await Tester.at(service, random, 'curator', { admin: true })
  const { user: author } = await Tester.at(service, random, 'author')
  const largest = [
    await author.createDraft({ title: 'text', notes: 'z'.repeat(large) }),
    await author.createDraft(manyObjects),
  ]
  const record = await lister.createPublished({ title: '<'.repeat(large) })
  for (let count = 0; count < scale.drafts; count += 1) {
    await lister.createDraft({ title: `draft ${count}`, notes: 'x'.repeat(large) })
  }
  return {
    lister,
    record,
    revised: await revise(editor, scale.revisions),
    owners: await ownersOf(service, random, scale),
    searchers: scale.searchers,
    editor,
    edits: await editsOf(editor, curator, scale.merges),
    author,
    largest,
  }
}

async function revise(user: User, revisions: number): Promise<DepositBody> {
  let deposit = await user.createPublished({ title: 'revised', notes: 'y'.repeat(large) })
  for (let count = 1; count < revisions; count += 1) {
    const draft = await user.edit(deposit)
    const metadata = { title: `revised ${count}`, notes: 'y'.repeat(large) }
    bodyOf(await user.put(`/deposits/${draft.id}`, metadata), 200)
    deposit = await user.publish(draft)
  }
  return deposit
}

async function ownersOf(
  service: Service,
  random: Random,
  { owners, documents }: Scale,
): Promise<readonly User[]> {
  const users: User[] = []
  for (let owner = 0; owner < owners; owner += 1) {
    const { user } = await Tester.at(service, random, `owner${owner}`)
    for (let document = 0; document < documents; document += 1) {
      await user.createDraft({ title: 'words', notes: distinctWords(document) })
      await user.createDraft({ title: 'numbers', values: numbers(document) })
    }
    users.push(user)
  }
  return users
}

function distinctWords(document: number): string {
  const word = (_: unknown, at: number): string => `w${document}${String(at).padStart(6, '0')}`
  return Array.from({ length: 100_000 }, word).join(' ')
}

function numbers(document: number): readonly object[] {
  return Array.from({ length: 30_000 }, (_, at) => ({ a: at * 10 + document }))
}

/** Each element is changed on both sides, and all have the same name. */
async function editsOf(user: User, curator: User, count: number): Promise<readonly DepositBody[]> {
  const edits: DepositBody[] = []
  for (let edit = 0; edit < count; edit += 1) {
    const draft = await user.edit(await user.createPublished(namesakes('a')))
    bodyOf(await user.put(`/deposits/${draft.id}`, namesakes('b')), 200)
    bodyOf(await curator.put(draft.links['record'] ?? '', namesakes('c')), 200)
    edits.push(draft)
  }
  return edits
}

function namesakes(field: string): object {
  const namesake = (_: unknown, at: number): object => ({ name: `n${at % 100}`, [field]: at })
  return { title: 'people', list: Array.from({ length: listLength }, namesake) }
}
