import { identifierTypes, termOf } from '../contract/datacite.ts'
import type { Identifier } from './description.ts'
import { webAddress } from './values.ts'

interface Kind {
  /** DataCite's name of it. */
  readonly type: string
  /** Matches the whole text; its first group is the bare identifier. */
  readonly pattern: RegExp
  /** Address that leads to it. */
  readonly toUrl: (bare: string) => string | undefined
}

/** Kinds that a text can be recognized as, the plainest first. */
const kinds: readonly Kind[] = [
  {
    type: 'DOI',
    pattern: /^(?:doi:\s*|https?:\/\/(?:dx\.)?doi\.org\/)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i,
    toUrl: doiUrl,
  },
  {
    type: 'arXiv',
    pattern:
      /^(?:arxiv:\s*|https?:\/\/arxiv\.org\/abs\/)((?:[a-z-]+(?:\.[a-z]{2})?\/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)$/i,
    toUrl: (bare) => `https://arxiv.org/abs/${bare}`,
  },
  {
    type: 'Handle',
    pattern: /^(?:hdl:\s*|https?:\/\/hdl\.handle\.net\/)(\S+\/\S+)$/i,
    toUrl: (bare) => webAddress(`https://hdl.handle.net/${bare}`),
  },
  {
    type: 'ARK',
    pattern: /^(?:https?:\/\/n2t\.net\/)?(ark:\/?\d{5,9}\/\S+)$/i,
    toUrl: (bare) => webAddress(`https://n2t.net/${bare}`),
  },
  {
    type: 'PMID',
    pattern: /^(?:pmid:\s*|https?:\/\/pubmed\.ncbi\.nlm\.nih\.gov\/)(\d{1,8})\/?$/i,
    toUrl: (bare) => `https://pubmed.ncbi.nlm.nih.gov/${bare}`,
  },
  {
    type: 'ISBN',
    pattern: /^(?:isbn[:\s]*)((?:97[89][- ]?)?(?:\d[- ]?){9}[\dx])$/i,
    toUrl: urn('isbn'),
  },
  { type: 'ISBN', pattern: /^(97[89](?:[- ]?\d){10})$/, toUrl: urn('isbn') },
  { type: 'ISSN', pattern: /^(?:issn[:\s]*)?(\d{4}-\d{3}[\dx])$/i, toUrl: urn('issn') },
  { type: 'LSID', pattern: /^(urn:lsid:\S+)$/i, toUrl: () => undefined },
  { type: 'URN', pattern: /^(urn:[a-z\d][a-z\d-]{1,31}:\S+)$/i, toUrl: () => undefined },
  {
    type: 'SWHID',
    pattern: /^(swh:1:(?:cnt|dir|rel|rev|snp):[\da-f]{40}(?:;\S+)?)$/i,
    toUrl: (bare) => webAddress(`https://archive.softwareheritage.org/${bare}`),
  },
  { type: 'RRID', pattern: /^(rrid:\s*\S+)$/i, toUrl: () => undefined },
  { type: 'w3id', pattern: /^(https?:\/\/(?:www\.)?w3id\.org\/\S+)$/i, toUrl: webAddress },
  { type: 'PURL', pattern: /^(https?:\/\/purl\.(?:org|oclc\.org)\/\S+)$/i, toUrl: webAddress },
  { type: 'URL', pattern: /^(https?:\/\/\S+)$/i, toUrl: webAddress },
]

/**
 * The kind of identifier that a text is, and its address. A kind that the document names counts, where
 * the text can be one of it.
 *
 * @param text on one line
 * @param named as the document says
 */
export function toIdentifier(text: string, named: string | undefined): Identifier {
  const scheme = named === undefined ? undefined : (termOf(identifierTypes, named) ?? named)
  const ofScheme = kinds.filter(({ type }) => type === scheme)
  const found = recognize(ofScheme, text) ?? recognizePrefixed(ofScheme, text)
  if (found) return found
  // A DOI that is none would be refused; an ISBN of other digits is the user's word.
  if (scheme !== undefined && scheme !== 'DOI' && scheme !== 'URL') {
    return { identifier: text, scheme, url: webAddress(text) }
  }
  return recognize(kinds, text) ?? { identifier: text, scheme: undefined, url: undefined }
}

function recognize(among: readonly Kind[], text: string): Identifier | undefined {
  for (const { type, pattern, toUrl } of among) {
    const bare = pattern.exec(text)?.[1]
    if (bare !== undefined) return { identifier: bare, scheme: type, url: toUrl(bare) }
  }
  return undefined
}

/** `2101.00001` is an arXiv number where the document says so. */
function recognizePrefixed(among: readonly Kind[], text: string): Identifier | undefined {
  const prefix = { arXiv: 'arxiv:', Handle: 'hdl:', PMID: 'pmid:', ISBN: 'isbn:' }
  const [type] = among.map((kind) => kind.type)
  return Object.entries(prefix)
    .filter(([name]) => name === type)
    .map(([, before]) => recognize(among, before + text))[0]
}

/** The DOI in a text; undefined where it is none. */
export function doiOf(text: string | undefined): string | undefined {
  const found = text === undefined ? undefined : recognize(kinds.slice(0, 1), text)
  return found?.identifier
}

/** @see DOI Handbook, "Encoding of DOIs in URLs" */
export function doiUrl(doi: string): string {
  return `https://doi.org/${doi
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/%(?:3A|3B|28|29)/g, decodeURIComponent))
    .join('/')}`
}

function urn(namespace: string) {
  return (bare: string): string => `urn:${namespace}:${bare.replaceAll(' ', '')}`
}

/** Address of a ROR identifier, with or without its host. */
export function rorOf(text: string | undefined): string | undefined {
  const id = /^(?:https?:\/\/(?:www\.)?ror\.org\/)?(0[a-z\d]{6}\d{2})$/i.exec(text ?? '')?.[1]
  return id === undefined ? undefined : `https://ror.org/${id.toLowerCase()}`
}
