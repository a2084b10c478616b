import { filled, licenseOf, toPerson } from '../../../core/contract/foreign-values.ts'
import { fromHtml } from '../../../core/contract/html-text.ts'
import { isMarker, listOf, objectOf, textOf, type Foreign } from '../port/values.ts'

/** Our metadata from an article. */
export function fromFigshare(article: Foreign): Foreign {
  const description = textOf(article['description'])
  const tags = textsOf(article['tags']).filter((tag) => !isMarker(tag.toLowerCase()))
  return filled({
    title: textOf(article['title']),
    creators: listOf(article['authors']).flatMap(
      ({ full_name: name, orcid_id: orcid }) => toPerson({ name, orcid, affiliation: [] }) ?? [],
    ),
    description: description && fromHtml(description),
    publication_date: textOf(article['published_date'])?.slice(0, 10),
    resource_type: types.get(textOf(article['defined_type_name']) ?? '') ?? 'other',
    license: licenseOf(textOf(objectOf(article['license'])['url'])),
    keywords: [
      ...tags,
      ...listOf(article['categories']).flatMap(({ title }) => textOf(title) ?? []),
    ],
    related_identifiers: listOf(article['related_materials']).flatMap(
      ({ identifier, identifier_type: scheme, relation }) => {
        const isWhole = textOf(identifier) !== undefined && textOf(relation) !== undefined
        return isWhole ? [filled({ identifier, scheme: textOf(scheme), relation })] : []
      },
    ),
    references: textsOf(article['references']),
    funding: listOf(article['funding_list']).flatMap(({ title, grant_code: award }) => {
      const funder = textOf(title)
      return funder === undefined ? [] : [filled({ funder, award: textOf(award) })]
    }),
    access:
      article['is_embargoed'] === true || article['is_confidential'] === true
        ? filled({ files: 'restricted', until: textOf(article['embargo_date'])?.slice(0, 10) })
        : undefined,
  })
}

/** The marker among the tags of an article. */
export function markerOf({ tags }: Foreign): string | undefined {
  return textsOf(tags)
    .map((tag) => tag.toLowerCase())
    .find((tag) => isMarker(tag))
}

function textsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).flatMap((each: unknown) => textOf(each) ?? [])
}

const types: ReadonlyMap<string, string> = new Map([
  ['dataset', 'dataset'],
  ['fileset', 'dataset'],
  ['figure', 'image'],
  ['media', 'audiovisual'],
  ['poster', 'poster'],
  ['paper', 'journalarticle'],
  ['journal contribution', 'journalarticle'],
  ['conference contribution', 'conferencepaper'],
  ['presentation', 'presentation'],
  ['thesis', 'dissertation'],
  ['code', 'software'],
  ['software', 'software'],
  ['preprint', 'preprint'],
  ['book', 'book'],
  ['online resource', 'interactiveresource'],
])
