import type { Bibliography } from './bibliography.ts'
import type { RecordFile } from './files.ts'

export interface MetaTag {
  readonly name: string
  readonly content: string
}

/**
 * The tags that indexers of the literature read.
 *
 * @see https://scholar.google.com/intl/en/scholar/inclusion.html#indexing
 */
export function toHighwire(about: Bibliography, files: readonly RecordFile[]): readonly MetaTag[] {
  const pdf = files.find(({ name }) => name.toLowerCase().endsWith('.pdf'))
  const authors = about.creators.flatMap(({ name, orcid = '' }) => [
    { name: 'citation_author', content: name },
    { name: 'citation_author_orcid', content: orcid },
  ])
  const tags = [
    { name: 'citation_title', content: about.title },
    ...authors,
    { name: 'citation_publication_date', content: about.date.replaceAll('-', '/') },
    { name: 'citation_language', content: about.language },
    { name: 'citation_keywords', content: about.keywords.join('; ') },
    { name: 'citation_abstract_html_url', content: about.url },
    { name: 'citation_pdf_url', content: pdf?.download ?? '' },
    { name: 'description', content: about.description.slice(0, 300) },
  ]
  return tags.filter(({ content }) => content !== '')
}
