import { RemoteFailure } from '../port/remote-failure.ts'
import type { RemoteHttp } from '../port/remote-http.ts'
import type {
  Account,
  Copy,
  Download,
  Limits,
  Outgoing,
  RemoteFile,
  Repository,
  Translation,
  Work,
} from '../port/repository.ts'
import { doiOf, listOf, objectOf, textOf, type Foreign } from '../port/values.ts'
import { ArticleFiles, toFile } from './article-files.ts'
import { fromFigshare, markerOf } from './read-article.ts'
import { translateForFigshare, type Vocabularies } from './translate.ts'

const articles = '/v2/account/articles'
/** Files that an article itself shows. */
const mostShown = 10
/** Results of a search that are looked at. */
const mostFound = 100

/**
 * figshare's interface of articles. Files are sent in parts, and parts that arrived are not sent again.
 *
 * @see https://docs.figshare.com/
 */
export class Figshare implements Repository {
  readonly limits: Limits = {
    hasFolders: false,
    takesEmptyFiles: false,
    mostFiles: 500,
    // Of an account without an institution.
    largestFile: 20e9,
    mostBytes: 20e9,
    longestName: 255,
    parallel: 2,
  }
  readonly #http: RemoteHttp
  readonly #files: ArticleFiles
  readonly #known: Vocabularies
  readonly #group: string | undefined

  private constructor(http: RemoteHttp, known: Vocabularies, group: string | undefined) {
    this.#http = http
    this.#files = new ArticleFiles(http)
    this.#known = known
    this.#group = group
  }

  /** Asks for the licenses and categories that there are. */
  static async open(http: RemoteHttp, group: string | undefined): Promise<Figshare> {
    const list = async (path: string): Promise<readonly Foreign[]> => {
      const { json } = await http.ask({
        tried: `read ${path} of ${http.name}`,
        method: 'GET',
        path,
      })
      return listOf(json)
    }
    const licenses = await list('/v2/account/licenses')
    return new Figshare(http, { licenses, categories: await list('/v2/categories') }, group)
  }

  async whoAmI(): Promise<Account> {
    const tried = `sign in to ${this.#http.name}`
    const me = await this.#http.json({ tried, method: 'GET', path: '/v2/account' })
    const name = [textOf(me['first_name']), textOf(me['last_name'])].filter(Boolean).join(' ')
    const known = name === '' ? textOf(me['email']) : name
    return { name: known, said: `the token is good, of ${known ?? 'an account'}` }
  }

  translate(work: Work): Translation {
    return translateForFigshare(work, this.#known, this.#group)
  }

  async find(marker: string): Promise<Copy | undefined> {
    const tried = `look for the draft on ${this.#http.name}`
    const path = `${articles}/search`
    const json = { search_for: `"${marker}"`, page: 1, page_size: mostFound }
    const found = await this.#http.ask({ tried, method: 'POST', path, json, isRepeatable: true })
    for (const { id } of listOf(found.json)) {
      const copy = await this.read(textOf(id) ?? '')
      if (copy?.marker === marker) return copy
    }
    return undefined
  }

  /** An article is published when what is public has the same files and the same metadata. */
  async read(id: string): Promise<Copy | undefined> {
    const own = await this.#articleAt(id, `${articles}/${encodeURIComponent(id)}`)
    if (own === undefined) return undefined
    const copy = toCopy(own, 'draft')
    if (own['is_public'] !== true) return copy
    const open = await this.#articleAt(id, `/v2/articles/${encodeURIComponent(id)}`)
    const isSame = open !== undefined && isSameState(copy, toCopy(open, 'published'))
    if (!isSame) return copy
    const version = textOf(open['version'])
    const published = { ...copy, status: 'published', url: urlOf(open) } as const
    return version === undefined ? published : { ...published, version }
  }

  async create({ metadata }: Translation): Promise<Copy> {
    const tried = `make a draft on ${this.#http.name}`
    const answer = await this.#http.json({ tried, method: 'POST', path: articles, json: metadata })
    const [id = ''] = /\d+$/.exec(textOf(answer['location']) ?? '') ?? []
    return this.#readMade(tried, textOf(answer['entity_id']) ?? id)
  }

  /** A version is made of what changed since the last one. */
  async openVersion(id: string): Promise<Copy> {
    const tried = `begin a new version of ${id} on ${this.#http.name}`
    return { ...(await this.#readMade(tried, id)), status: 'draft' }
  }

  async newestVersion({ id }: Copy): Promise<string | undefined> {
    const open = await this.#articleAt(id, `/v2/articles/${encodeURIComponent(id)}`)
    return open && textOf(open['version'])
  }

  async findCorrection(id: string): Promise<Copy | undefined> {
    const found = await this.read(id)
    return found?.status === 'draft' ? { ...found, isCorrection: true } : undefined
  }

  async openCorrection(id: string): Promise<Copy> {
    return { ...(await this.openVersion(id)), isCorrection: true }
  }

  async describe({ id }: Copy, { metadata }: Translation): Promise<Copy> {
    const tried = `set the metadata of ${id} on ${this.#http.name}`
    const path = `${articles}/${encodeURIComponent(id)}`
    await this.#http.ask({ tried, method: 'PUT', path, json: metadata })
    return { ...(await this.#readMade(tried, id)), status: 'draft' }
  }

  upload({ id }: Copy, file: Outgoing): Promise<RemoteFile> {
    return this.#files.upload(`${articles}/${id}`, file)
  }

  async remove({ id }: Copy, files: readonly RemoteFile[]): Promise<void> {
    for (const { id: file, name } of files)
      await this.#files.remove(`${articles}/${id}`, { id: file, name })
  }

  async publish({ id }: Copy): Promise<Copy> {
    const tried = `publish ${id} on ${this.#http.name}`
    const path = `${articles}/${encodeURIComponent(id)}/publish`
    await this.#http.ask({ tried, method: 'POST', path })
    return this.#readMade(tried, id)
  }

  async resolve(name: string): Promise<Copy | undefined> {
    const [, id] = /(?:^|[./])(\d+)(?:\.v\d+|\/\d+)?$/.exec(name) ?? []
    if (id === undefined) return undefined
    const open = await this.#articleAt(id, `/v2/articles/${id}`)
    return open ? toCopy(open, 'published') : this.read(id)
  }

  async toDocument({ metadata }: Copy): Promise<Foreign> {
    return fromFigshare(metadata)
  }

  async download({ id }: Copy, { name, url = '' }: RemoteFile, from: number): Promise<Download> {
    const tried = `read ${name} of ${id} on ${this.#http.name}`
    return this.#http.download({ tried, method: 'GET', path: url }, from)
  }

  async #articleAt(id: string, path: string): Promise<Foreign | undefined> {
    const tried = `read ${id} on ${this.#http.name}`
    const expected = [403, 404]
    const { status, json } = await this.#http.ask({ tried, method: 'GET', path, expected })
    if (status >= 400) return undefined
    const article = objectOf(json)
    if (listOf(article['files']).length < mostShown) return article
    return { ...article, files: await this.#files.list(tried, path) }
  }

  async #readMade(tried: string, id: string): Promise<Copy> {
    const copy = await this.read(id)
    if (copy) return copy
    const said = `${id} cannot be read`
    throw new RemoteFailure(tried, this.#http.remote, undefined, { said })
  }
}

function isSameState(one: Copy, other: Copy): boolean {
  return stateOf(one) === stateOf(other)
}

function stateOf({ files, metadata }: Copy): string {
  const { title, description, tags, authors, references, related_materials: related } = metadata
  const { license, categories, defined_type_name: type, funding_list: funding } = metadata
  const inOrder = (all: readonly unknown[]): readonly string[] =>
    all.map((each) => JSON.stringify(each) ?? '').toSorted((one, other) => (one < other ? -1 : 1))
  const values = (list: unknown, name: string): readonly string[] =>
    inOrder(listOf(list).map((each) => each[name]))
  const sorted = (list: unknown): readonly string[] => inOrder(Array.isArray(list) ? list : [])
  return JSON.stringify([
    files.map(({ name, md5 }) => `${name}/${md5}`).toSorted(),
    [title, description, type, objectOf(license)['value']],
    [sorted(tags), sorted(references), values(authors, 'full_name'), values(categories, 'id')],
    [values(related, 'identifier'), values(funding, 'title')],
  ])
}

function toCopy(article: Foreign, status: Copy['status']): Copy {
  const [marker, doi] = [markerOf(article), doiOf(article['doi'])]
  return {
    id: textOf(article['id']) ?? '',
    status,
    ...(marker !== undefined && { marker }),
    ...(doi !== undefined && { doi }),
    title: textOf(article['title']),
    url: status === 'published' ? urlOf(article) : (textOf(article['url_private_html']) ?? ''),
    metadata: article,
    files: listOf(article['files']).map(toFile),
  }
}

function urlOf(article: Foreign): string {
  return textOf(article['url_public_html']) ?? textOf(article['figshare_url']) ?? ''
}
