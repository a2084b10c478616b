/**
 * The controlled lists of DataCite's metadata schema 4.7, as it spells them. Documents may use any
 * case: sources of metadata differ.
 *
 * @see https://datacite-metadata-schema.readthedocs.io/en/4.7/
 */

export const relationTypes = listOf(
  `IsCitedBy Cites IsCollectedBy Collects IsSupplementTo IsSupplementedBy IsContinuedBy Continues
  IsDescribedBy Describes HasMetadata IsMetadataFor HasVersion IsVersionOf IsNewVersionOf
  IsPreviousVersionOf IsPartOf HasPart IsPublishedIn IsReferencedBy References IsDocumentedBy
  Documents IsCompiledBy Compiles IsVariantFormOf IsOriginalFormOf IsIdenticalTo IsReviewedBy
  Reviews IsDerivedFrom IsSourceOf IsRequiredBy Requires IsObsoletedBy Obsoletes HasTranslation
  IsTranslationOf Other`,
)

export const resourceTypes = listOf(
  `Audiovisual Award Book BookChapter Collection ComputationalNotebook ConferencePaper
  ConferenceProceeding DataPaper Dataset Dissertation Event Image Instrument InteractiveResource
  Journal JournalArticle Model OutputManagementPlan PeerReview PhysicalObject Poster Preprint
  Presentation Project Report Service Software Sound Standard StudyRegistration Text Workflow Other`,
)

export const contributorTypes = listOf(
  `ContactPerson DataCollector DataCurator DataManager Distributor Editor HostingInstitution Other
  Producer ProjectLeader ProjectManager ProjectMember RegistrationAgency RegistrationAuthority
  RelatedPerson ResearchGroup RightsHolder Researcher Sponsor Supervisor Translator
  WorkPackageLeader`,
)

export const dateTypes = listOf(
  `Accepted Available Collected Copyrighted Coverage Created Issued Other Submitted Updated Valid
  Withdrawn`,
)

export const identifierTypes = listOf(
  `ARK arXiv bibcode CSTR DOI EAN13 EISSN Handle IGSN ISBN ISSN ISTC LISSN LSID PMID PURL RAiD RRID
  SWHID UPC URL URN w3id`,
)

/** Terms by their form in lower case. */
export type Terms = ReadonlyMap<string, string>

/** The term as DataCite spells it; undefined for text that is none of them. */
export function termOf(terms: Terms, text: string): string | undefined {
  return terms.get(text.trim().toLowerCase())
}

function listOf(text: string): Terms {
  return new Map(text.split(/\s+/).map((term) => [term.toLowerCase(), term]))
}
