import { exportNames, type ExportName } from '../contract/exports.ts'
import { bibtex } from './bibtex.ts'
import { cff } from './cff.ts'
import { citation } from './citation.ts'
import { codemeta } from './codemeta.ts'
import { croissant } from './croissant.ts'
import { cslJson } from './csl-json.ts'
import { dataciteJson } from './datacite-json.ts'
import { dataciteXml } from './datacite-xml.ts'
import { datapackage } from './datapackage.ts'
import { dcat, dcatXml } from './dcat.ts'
import { dublinCore } from './dublin-core.ts'
import type { ExportFormat } from './format.ts'
import { json } from './json.ts'
import { linkset } from './linkset.ts'
import { packageTexts } from './package-texts.ts'
import { ris } from './ris.ts'
import { roCrate } from './ro-crate.ts'
import { schemaOrg } from './schema-org.ts'
import { zenodo } from './zenodo.ts'

const formats: Readonly<Record<ExportName, ExportFormat>> = {
  json,
  'datacite-xml': dataciteXml,
  'datacite-json': dataciteJson,
  'schema-org': schemaOrg,
  croissant,
  'ro-crate': roCrate,
  'csl-json': cslJson,
  bibtex,
  ris,
  citation,
  'dublin-core': dublinCore,
  cff,
  codemeta,
  dcat,
  datapackage,
  zenodo,
  linkset,
}

/** The formats of the package, in the order of menus. */
export const exportFormats: readonly ExportFormat[] = exportNames.map((name) => formats[name])

/** All of the package: those of menus, and those that protocols and packages carry. */
export const writtenFormats: readonly ExportFormat[] = [...exportFormats, dcatXml, packageTexts]
