import { bibtex } from './bibtex.ts'
import { cff } from './cff.ts'
import { citation } from './citation.ts'
import { codemeta } from './codemeta.ts'
import { croissant } from './croissant.ts'
import { cslJson } from './csl-json.ts'
import { dataciteJson } from './datacite-json.ts'
import { dataciteXml } from './datacite-xml.ts'
import { datapackage } from './datapackage.ts'
import { dcat } from './dcat.ts'
import { dublinCore } from './dublin-core.ts'
import type { ExportFormat } from './format.ts'
import { json } from './json.ts'
import { linkset } from './linkset.ts'
import { ris } from './ris.ts'
import { roCrate } from './ro-crate.ts'
import { schemaOrg } from './schema-org.ts'
import { zenodo } from './zenodo.ts'

/**
 * The formats of the package, in the order of menus. Of those that a request likes alike the first is
 * sent.
 */
export const exportFormats: readonly ExportFormat[] = [
  json,
  dataciteXml,
  dataciteJson,
  schemaOrg,
  croissant,
  roCrate,
  cslJson,
  bibtex,
  ris,
  citation,
  dublinCore,
  cff,
  codemeta,
  dcat,
  datapackage,
  zenodo,
  linkset,
]
