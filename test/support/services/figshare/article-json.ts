import { asJson, asList, asText, type Exchange, type Json } from '../exchange.ts'
import type { Article, ArticleFile } from './store.ts'
import { fileJson } from './uploads.ts'

export const licenses = [
  { value: 1, name: 'CC BY 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  { value: 2, name: 'CC0', url: 'https://creativecommons.org/publicdomain/zero/1.0/' },
  { value: 3, name: 'MIT', url: 'https://opensource.org/licenses/MIT' },
  { value: 4, name: 'GPL', url: 'https://www.gnu.org/licenses/gpl-3.0.html' },
]
export const categories = [
  {
    id: 23,
    title: 'Oceanography',
    parent_id: 20,
    path: '/20/23',
    source_id: '370800',
    taxonomy_id: 100,
  },
  {
    id: 24,
    title: 'Geology',
    parent_id: 20,
    path: '/20/24',
    source_id: '370500',
    taxonomy_id: 100,
  },
]
export const types = [
  'figure',
  'media',
  'dataset',
  'fileset',
  'poster',
  'paper',
  'presentation',
  'thesis',
  'code',
  'metadata',
  'preprint',
  'book',
]

/** As lists show it. */
export function short(article: Article, { origin }: Exchange): Json {
  const { id, metadata, versions: all, doi, created, modified } = article
  const own = `${origin}/v2/account/articles/${id}`
  const isPublic = all.length > 0
  return {
    id,
    title: metadata['title'] ?? '',
    doi: doi ?? '',
    handle: '',
    group_id: null,
    url: isPublic ? `${origin}/v2/articles/${id}` : own,
    url_public_html: isPublic ? `${origin}/articles/${id}` : '',
    url_public_api: isPublic ? `${origin}/v2/articles/${id}` : '',
    url_private_html: `${origin}/account/articles/${id}`,
    url_private_api: own,
    published_date: all.at(-1)?.at ?? null,
    created_date: created,
    modified_date: modified,
    timeline: { posted: all.at(-1)?.at ?? null, firstOnline: all[0]?.at ?? null },
    thumb: '',
    defined_type: types.indexOf(asText(metadata['defined_type'])) + 1,
    defined_type_name: metadata['defined_type'] ?? '',
    resource_title: metadata['resource_title'] ?? '',
    resource_doi: metadata['resource_doi'] ?? '',
  }
}

/** "List of up to 10 article files": the others are in lists of their own. @see https://docs.figshare.com/#public_article */
const mostShown = 10

interface Shown {
  readonly metadata: Json
  readonly files: readonly ArticleFile[]
  readonly filesAt: string
}

/** By itself, in a state. */
export function whole(
  article: Article,
  exchange: Exchange,
  { metadata, files, filesAt }: Shown,
): Json {
  const { versions: all } = article
  const tags = [...asList(metadata['tags']), ...asList(metadata['keywords'])]
  return {
    // A state that is published shows nothing of the changes after it.
    ...short({ ...article, metadata }, exchange),
    description: metadata['description'] ?? '',
    tags,
    keywords: tags,
    references: asList(metadata['references']),
    related_materials: asList(metadata['related_materials']),
    funding: null,
    funding_list: asList(metadata['funding_list']),
    categories: categories.filter(({ id }) => asList(metadata['categories']).includes(id)),
    license: licenses.find(({ value }) => value === metadata['license']) ?? null,
    authors: asList(metadata['authors']).map((author, at) => ({
      id: asJson(author)['id'] ?? at + 1,
      full_name: asJson(author)['name'] ?? '',
      first_name: '',
      last_name: '',
      url_name: '_',
      orcid_id: asJson(author)['orcid_id'] ?? '',
      is_active: false,
    })),
    custom_fields: Object.entries(asJson(metadata['custom_fields'])).map(([name, value]) => ({
      name,
      value,
    })),
    files: files.slice(0, mostShown).map((file) => fileJson(file, filesAt)),
    size: files.reduce((sum, { size }) => sum + size, 0),
    status: all.length > 0 ? 'public' : 'draft',
    version: all.length,
    is_public: all.length > 0,
    account_id: article.owner,
    figshare_url: `${exchange.origin}/articles/${article.id}`,
    download_disabled: false,
    is_active: true,
    is_confidential: false,
    is_embargoed: false,
    embargo_options: [],
    is_metadata_record: false,
    citation: '',
  }
}
