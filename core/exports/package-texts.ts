import type { Description } from '../describe/description.ts'
import { dataciteXml } from './datacite-xml.ts'
import { toDatapackageFrame, type DatapackageFrame } from './datapackage.ts'
import { untitled, type ExportFormat } from './format.ts'
import { toPreviewFrame, type PreviewFrame } from './ro-crate-preview.ts'
import { roCrate, toCrateFrame, type CrateFrame } from './ro-crate.ts'

/** All that packages say of a record beside its files. */
export interface PackageTexts {
  readonly crate: CrateFrame
  readonly preview: PreviewFrame
  /** The same as a crate that lies elsewhere, for packages whose own metadata are the user's. */
  readonly detached: string
  readonly datacite: string
  readonly datapackage: DatapackageFrame
  readonly title: string
  readonly publisher: string
  /** Addresses of the record: the one it is cited by first. */
  readonly addresses: readonly string[]
}

/** For packages alone: written where other formats are, because large records take their time. */
export const packageTexts: ExportFormat = {
  name: 'package-texts',
  title: 'Texts of packages',
  mediaTypes: [],
  extension: '.json',
  write: (about) => JSON.stringify(toPackageTexts(about)),
}

function toPackageTexts(about: Description): PackageTexts {
  const { title = untitled, publisher, citedAs, url } = about
  return {
    crate: toCrateFrame(about),
    preview: toPreviewFrame(about),
    detached: roCrate.write({ ...about, files: [] }),
    datacite: dataciteXml.write(about),
    datapackage: toDatapackageFrame(about),
    title,
    publisher: publisher.name,
    addresses: [...new Set([citedAs, url])],
  }
}
