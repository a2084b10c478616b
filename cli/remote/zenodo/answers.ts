import type { Copy } from '../port/repository.ts'
import {
  doiOf,
  linksOf,
  listOf,
  markerIn,
  md5Of,
  objectOf,
  sizeOf,
  textOf,
  type Foreign,
} from '../port/values.ts'

/** A deposit, as Zenodo shows it to its owner. */
export function toCopy(deposition: Foreign): Copy {
  const metadata = objectOf(deposition['metadata'])
  const links = linksOf(deposition['links'])
  const isPublished = deposition['submitted'] === true
  const doi =
    doiOf(deposition['doi']) ??
    doiOf(metadata['doi']) ??
    doiOf(objectOf(metadata['prereserve_doi'])['doi'])
  const marker = markerOf(deposition)
  const url = links['record_html'] ?? links['latest_html'] ?? links['html'] ?? ''
  return {
    id: textOf(deposition['id']) ?? '',
    status: isPublished ? 'published' : 'draft',
    ...(marker !== undefined && { marker }),
    ...(doi !== undefined && { doi }),
    title: textOf(metadata['title']),
    entered: enteredIn(metadata),
    url: isPublished ? url : (links['html'] ?? url),
    metadata,
    links,
    files: listOf(deposition['files']).map((file) => ({
      id: textOf(file['id']) ?? '',
      name: textOf(file['filename']) ?? '',
      size: sizeOf(file['filesize'] ?? 0),
      md5: md5Of(file['checksum']),
      isWhole: file['filesize'] !== undefined && file['filesize'] !== null,
      url: `${links['bucket'] ?? ''}/${encodeURIComponent(textOf(file['filename']) ?? '')}`,
    })),
  }
}

/** Its DOI is its own, and a draft has none yet; communities accept it by themselves. */
function enteredIn(shown: Foreign): Foreign {
  const { doi: _, prereserve_doi: __, communities: ___, ...metadata } = shown
  return metadata
}

/** Those of a copy stay, for its metadata are replaced whole. */
export function communitiesOf(metadata: Foreign, copy: Copy): Foreign {
  const all = [...listOf(copy.metadata['communities']), ...listOf(metadata['communities'])]
  const communities = [...new Map(all.map((each) => [each['identifier'], each])).values()]
  return communities.length === 0 ? {} : { communities }
}

/** A record that is being edited there. */
export function toCorrection(deposition: Foreign): Copy {
  const copy = toCopy(deposition)
  // Its public page does not show the changes.
  const url = copy.links?.['html'] ?? copy.url
  return { ...copy, url, status: 'draft', isCorrection: true }
}

export function markerOf({ metadata }: Foreign): string | undefined {
  return markerIn(listOf(objectOf(metadata)['related_identifiers']))
}

/** A record has its type and license as objects. */
export function asDeposited(metadata: Foreign): Foreign {
  const { resource_type: type, license, ...rest } = metadata
  const { type: upload_type, subtype } = objectOf(type)
  const kind = upload_type === 'image' ? 'image_type' : 'publication_type'
  const related = listOf(metadata['related_identifiers']).filter(
    ({ identifier }) => markerIn([{ identifier }]) === undefined,
  )
  return {
    ...rest,
    ...(upload_type === undefined ? {} : { upload_type }),
    ...(subtype === undefined ? {} : { [kind]: subtype }),
    license: textOf(license) ?? objectOf(license)['id'],
    related_identifiers: related,
  }
}
