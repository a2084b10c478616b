import type { Description } from '../../core/index.ts'

export interface MetaTag {
  readonly name: string
  readonly content: string
}

/**
 * The tags that indexers of the literature read.
 *
 * @see https://scholar.google.com/intl/en/scholar/inclusion.html#indexing
 */
export function toHighwire(about: Description): readonly MetaTag[] {
  const pdf = about.files.find(({ mediaType }) => mediaType === 'application/pdf')
  const authors = about.creators.flatMap(({ name, orcid }) => [
    { name: 'citation_author', content: name },
    { name: 'citation_author_orcid', content: orcid },
  ])
  const tags = [
    { name: 'citation_title', content: about.title },
    ...authors,
    { name: 'citation_publication_date', content: about.date.replaceAll('-', '/') },
    { name: 'citation_publisher', content: about.publisher.name },
    { name: 'citation_doi', content: about.doi },
    { name: 'citation_language', content: about.language },
    { name: 'citation_keywords', content: about.keywords.join('; ') },
    { name: 'citation_abstract_html_url', content: about.url },
    { name: 'citation_pdf_url', content: pdf?.url },
    { name: 'description', content: about.description?.slice(0, 300).toWellFormed() },
  ]
  return tags.flatMap(({ name, content = '' }) => (content === '' ? [] : [{ name, content }]))
}
