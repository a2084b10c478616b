import type { JsonObject } from '../base/json.ts'

/**
 * A record, or a draft as it would be, in neutral terms: who, what, when, rights, relations, files.
 * Everything that leaves the service in a foreign format is written from it.
 *
 * All texts are well-formed Unicode without control characters; those of one line have no line breaks
 * and no runs of spaces. All addresses are valid IRIs in ASCII. Fields of an unexpected shape are left
 * out: a document may follow another schema than the package's.
 */
export interface Description {
  /** Value of the record's identifier; of a draft without one, that of the deposit. */
  readonly id: string
  readonly isDraft: boolean
  readonly revision: number
  /** ISO 8601, UTC. */
  readonly created: string
  readonly updated: string
  /** When the metadata and files changed last: what is told beside them may be newer. */
  readonly modified: string
  /** Address of the page. */
  readonly url: string
  /** Such as `10.1234/abc`. */
  readonly doi: string | undefined
  /** Address it is cited by: that of its DOI, else of its page. */
  readonly citedAs: string
  /**
   * Whether others can follow that address: of a draft with a reserved DOI they can once it is
   * published, and that of another draft is for those who work on it alone.
   */
  readonly standing: 'public' | 'reserved' | 'private'
  readonly title: string | undefined
  readonly creators: readonly Agent[]
  readonly contributors: readonly Contributor[]
  readonly publisher: Organization
  /** Publication date: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; the day of the record where the document has none. */
  readonly date: string
  readonly year: string
  readonly resourceType: ResourceType | undefined
  /** Texts of several lines. */
  readonly description: string | undefined
  readonly methods: string | undefined
  readonly notes: string | undefined
  readonly keywords: readonly string[]
  readonly subjects: readonly Subject[]
  readonly rights: Rights | undefined
  readonly version: string | undefined
  /** BCP 47. */
  readonly language: string | undefined
  readonly dates: readonly DatedEvent[]
  readonly relations: readonly Relation[]
  /** Works that it refers to, as text. */
  readonly references: readonly string[]
  readonly funding: readonly Funding[]
  readonly locations: readonly Location[]
  readonly alternateIdentifiers: readonly Identifier[]
  readonly access: Access
  /** In the published order. Empty where they are not public, so that their digests are not either. */
  readonly files: readonly DescribedFile[]
  /** Address that leads to the newest version. */
  readonly concept: string | undefined
  /** Pages of the neighbours in the chain of versions. */
  readonly previous: string | undefined
  readonly next: string | undefined
  /** Those three as relations: no more of them, however many versions there are. */
  readonly versions: readonly Relation[]
  /** The service that holds it. */
  readonly catalog: { readonly name: string; readonly url: string }
  /** Links of the record in our interface, by name. */
  readonly links: Readonly<Record<string, string>>
  /** The same record in other formats. */
  readonly exports: readonly Exported[]
  /** The document as it is stored: for our own format alone. */
  readonly document: JsonObject
}

/** A person or an organization. */
export interface Agent {
  /** In full, as the document has it: `Family, Given` for a person. */
  readonly name: string
  /** A person where it has a family name, given names or an ORCID iD. */
  readonly isPerson: boolean
  readonly family: string | undefined
  readonly given: string | undefined
  /** `Jr.` or `III`, which is in neither of them. */
  readonly suffix: string | undefined
  /** Address of the ORCID iD. */
  readonly orcid: string | undefined
  readonly affiliations: readonly Organization[]
}

export interface Contributor extends Agent {
  /** One of DataCite's contributor types. */
  readonly role: string
}

export interface Organization {
  readonly name: string
  /** Address of the ROR identifier. */
  readonly ror: string | undefined
}

export interface ResourceType {
  /** As documents have it, in lower case. */
  readonly id: string
  /** DataCite's general type; `Other` for one that is none of its. */
  readonly general: string
}

export interface Subject {
  readonly subject: string
  readonly scheme: string | undefined
  /** Address of the term. */
  readonly url: string | undefined
}

export interface Rights {
  /** SPDX identifier, in its proper case. */
  readonly id: string | undefined
  readonly name: string
  readonly url: string | undefined
}

export interface DatedEvent {
  /** A date, or two of them with a slash between, of which one may be empty. */
  readonly date: string
  /** One of DataCite's date types. */
  readonly type: string
  readonly description: string | undefined
}

export interface Identifier {
  readonly identifier: string
  /** One of DataCite's types where it is known; else as the document says. */
  readonly scheme: string | undefined
  readonly url: string | undefined
}

export interface Relation extends Identifier {
  /** One of DataCite's relation types. */
  readonly relation: string
  /** One of DataCite's general resource types. */
  readonly resourceType: string | undefined
}

export interface Funding {
  /** Absent where only the identifier is known. */
  readonly funder: string | undefined
  /** Address of the funder's identifier. */
  readonly funderId: string | undefined
  readonly funderIdType: 'ROR' | 'Crossref Funder ID' | 'Other' | undefined
  readonly award: string | undefined
  readonly awardTitle: string | undefined
  readonly awardUrl: string | undefined
}

export interface Location {
  readonly place: string | undefined
  /** Degrees, WGS 84. */
  readonly point: { readonly latitude: number; readonly longitude: number } | undefined
  readonly box:
    | {
        readonly west: number
        readonly east: number
        readonly south: number
        readonly north: number
      }
    | undefined
}

export interface Access {
  readonly files: 'public' | 'restricted'
  /** `YYYY-MM-DD`: the day on which restricted files become public. */
  readonly until: string | undefined
  readonly reason: string | undefined
}

export interface DescribedFile {
  readonly key: string
  /** Bytes. */
  readonly size: number
  readonly mediaType: string
  /** 64 hexadecimal digits. */
  readonly sha256: string
  /** Address of the bytes. */
  readonly url: string
}

/** An address under which the record can be had in another format. */
export interface Exported {
  readonly name: string
  readonly title: string
  /** As it is sent. */
  readonly mediaType: string
  readonly profile: string | undefined
  readonly filename: string
  readonly url: string
}
