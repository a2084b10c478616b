import type { PackageTexts } from '../exports/package-texts.ts'
import { bagDeclaration, toBagInfo, toManifestLine, toPayloadOxum } from './bag-format.ts'
import type { NamedFile } from './crate.ts'
import { writeFile } from './written-file.ts'

/** A file below `data/`. */
export interface PayloadFile {
  /** Without `data/`. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** 64 hexadecimal digits. */
  readonly sha256: string
}

interface BagOptions {
  readonly id: string
  /** Day of the publication, ISO 8601. */
  readonly date: string
  /** Metadata of the record, where those in the payload are the user's. */
  readonly hasDetached: boolean
}

/**
 * The tag files of a bag, in the order in which they lie in it. A manifest comes before the files it
 * lists, so that a bag that is unpacked while it arrives can be verified at once.
 *
 * @see RFC 8493
 */
export async function writeBag(
  texts: PackageTexts,
  payload: readonly PayloadFile[],
  { id, date, hasDetached }: BagOptions,
): Promise<readonly NamedFile[]> {
  const bytes = payload.reduce((sum, { size }) => sum + size, 0)
  const info = toBagInfo([
    { label: 'Source-Organization', value: texts.publisher },
    { label: 'External-Description', value: texts.title },
    ...texts.addresses.map((value) => ({ label: 'External-Identifier', value })),
    { label: 'Internal-Sender-Identifier', value: id },
    { label: 'Bagging-Date', value: date },
    { label: 'Payload-Oxum', value: toPayloadOxum({ bytes, files: payload.length }) },
    { label: 'Bag-Software-Agent', value: 'depositd' },
  ])
  const manifest = await writeFile(function* () {
    for (const { path, sha256: digest } of payload) {
      yield toManifestLine({ path: `data/${path}`, digest })
    }
  })
  const tagged = [
    { path: 'bagit.txt', written: await writeFile(() => [bagDeclaration]) },
    { path: 'bag-info.txt', written: await writeFile(() => [info]) },
    { path: 'manifest-sha256.txt', written: manifest },
    { path: 'metadata/datacite.xml', written: await writeFile(() => [texts.datacite]) },
    ...(hasDetached
      ? [
          {
            path: 'metadata/ro-crate-metadata.json',
            written: await writeFile(() => [texts.detached]),
          },
        ]
      : []),
  ]
  const lines = tagged.map(({ path, written }) => toManifestLine({ path, digest: written.sha256 }))
  return [...tagged, { path: 'tagmanifest-sha256.txt', written: await writeFile(() => lines) }]
}
