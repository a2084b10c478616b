import { toDataciteAttributes } from './datacite-attributes.ts'
import { toJsonText, type ExportFormat } from './format.ts'

/** The attributes of a DOI in DataCite's REST interface. @see https://support.datacite.org/reference */
export const dataciteJson: ExportFormat = {
  name: 'datacite-json',
  title: 'DataCite JSON',
  mediaTypes: ['application/vnd.datacite.datacite+json'],
  profile: 'http://datacite.org/schema/kernel-4',
  suffix: '-datacite',
  extension: '.json',
  write: (about) => toJsonText(toDataciteAttributes(about)),
}
