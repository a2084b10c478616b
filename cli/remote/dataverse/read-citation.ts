import { fromHtml } from '../../../core/contract/html-text.ts'
import { filled, licenseOf, toPerson } from '../../../core/contract/foreign-values.ts'
import { listOf, objectOf, textOf, type Foreign } from '../port/values.ts'
import { markerAgency } from './translate.ts'

/** Values of a field of the citation block, each a text or an object of texts. */
export function valuesOf(
  version: Foreign,
  name: string,
): readonly Readonly<Record<string, string>>[] {
  const { citation } = objectOf(version['metadataBlocks'])
  const field = listOf(objectOf(citation)['fields']).find(({ typeName }) => typeName === name)
  const value = field?.['value']
  return (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    const plain = textOf(one)
    if (plain !== undefined) return [{ value: plain }]
    const parts = Object.entries(objectOf(one)).flatMap(([part, each]) => {
      const said = textOf(objectOf(each)['value'])
      return said === undefined ? [] : [[part, said] as const]
    })
    return parts.length === 0 ? [] : [Object.fromEntries(parts)]
  })
}

/** Our metadata from a version of a dataset. */
export function fromDataverse(version: Foreign): Foreign {
  const values = (name: string) => valuesOf(version, name)
  const first = (name: string): string | undefined => values(name)[0]?.['value']
  const { license } = version
  const isRestricted = listOf(version['files']).some(({ restricted }) => restricted === true)
  return filled({
    title: first('title'),
    creators: values('author').flatMap(
      ({ authorName: name, authorAffiliation: at, authorIdentifier: orcid }) =>
        toPerson({ name, orcid, affiliation: at === undefined ? [] : [at] }) ?? [],
    ),
    description:
      values('dsDescription')
        .flatMap(({ dsDescriptionValue: html }) => (html === undefined ? [] : [fromHtml(html)]))
        .join('\n\n') || undefined,
    publication_date: first('productionDate') ?? textOf(version['releaseTime'])?.slice(0, 10),
    resource_type: 'dataset',
    license: licenseOf(textOf(objectOf(license)['uri'])) ?? textOf(version['termsOfUse']),
    keywords: [
      ...values('keyword').flatMap(({ keywordValue: word }) => word ?? []),
      ...values('subject').flatMap(({ value: word }) => (word === 'Other' ? [] : (word ?? []))),
    ],
    notes: first('notesText'),
    references: values('otherReferences').flatMap(({ value }) => value ?? []),
    funding: values('grantNumber').map(({ grantNumberAgency: funder, grantNumberValue: award }) =>
      filled({ funder, award }),
    ),
    alternate_identifiers: values('otherId').flatMap(
      ({ otherIdAgency: scheme, otherIdValue: identifier }) =>
        identifier === undefined || scheme === markerAgency ? [] : [filled({ identifier, scheme })],
    ),
    access: isRestricted ? { files: 'restricted' } : undefined,
  })
}
