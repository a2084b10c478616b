import type { Metadata } from '../../client/deposit-client.ts'
import type { Foreign } from './values.ts'

type Translate = (document: Foreign) => Metadata

/** Metadata that a folder may have in the form of somebody else; the first that is there counts. */
export const foreignFiles: Readonly<Record<string, () => Promise<Translate>>> = {
  'CITATION.cff': async () => (await import('./citation-cff.ts')).fromCitationCff,
  '.zenodo.json': async () => (await import('./zenodo.ts')).fromZenodo,
  'codemeta.json': async () => (await import('./codemeta.ts')).fromCodemeta,
}
