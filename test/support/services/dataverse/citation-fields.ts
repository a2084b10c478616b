import type { Json } from '../exchange.ts'

/**
 * The citation block: in each line a field, `p` for plain text, `v` for a vocabulary and `c` for one of
 * several parts, `*` where it holds many; then its parts.
 * @see https://github.com/IQSS/dataverse `scripts/api/data/metadatablocks/citation.tsv`
 */
const table = `
title p
subtitle p
alternativeTitle p*
alternativeURL p
otherId c* otherIdAgency otherIdValue
author c* authorName authorAffiliation authorIdentifierScheme:v authorIdentifier
datasetContact c* datasetContactName datasetContactAffiliation datasetContactEmail
dsDescription c* dsDescriptionValue dsDescriptionDate
subject v*
keyword c* keywordValue keywordTermURI keywordVocabulary keywordVocabularyURI
topicClassification c* topicClassValue topicClassVocab topicClassVocabURI
publication c* publicationRelationType:v publicationCitation publicationIDType:v publicationIDNumber publicationURL
notesText p
language v*
producer c* producerName producerAffiliation producerAbbreviation producerURL producerLogoURL
productionDate p
productionPlace p*
contributor c* contributorType:v contributorName
grantNumber c* grantNumberAgency grantNumberValue
distributor c* distributorName distributorAffiliation distributorAbbreviation distributorURL distributorLogoURL
distributionDate p
depositor p
dateOfDeposit p
timePeriodCovered c* timePeriodCoveredStart timePeriodCoveredEnd
dateOfCollection c* dateOfCollectionStart dateOfCollectionEnd
kindOfData p*
series c* seriesName seriesInformation
software c* softwareName softwareVersion
relatedMaterial p*
relatedDatasets p*
otherReferences p*
dataSources p*
originOfSources p
characteristicOfSources p
accessToSources p
`

/** The vocabulary of `subject`. */
export const subjects = [
  'Agricultural Sciences',
  'Arts and Humanities',
  'Astronomy and Astrophysics',
  'Business and Management',
  'Chemistry',
  'Computer and Information Science',
  'Earth and Environmental Sciences',
  'Engineering',
  'Law',
  'Mathematical Sciences',
  'Medicine, Health and Life Sciences',
  'Physics',
  'Social Sciences',
  'Other',
]

export interface CitationField {
  readonly name: string
  readonly typeClass: 'primitive' | 'compound' | 'controlledVocabulary'
  readonly multiple: boolean
  readonly parts: readonly CitationField[]
}

const classes = { p: 'primitive', v: 'controlledVocabulary', c: 'compound' } as const

export const citationFields: readonly CitationField[] = table
  .trim()
  .split('\n')
  .map((line): CitationField => {
    const [name = '', kind = 'p', ...parts] = line.split(' ')
    return {
      name,
      typeClass: kind.startsWith('c') ? classes.c : kind.startsWith('v') ? classes.v : classes.p,
      multiple: kind.endsWith('*'),
      parts: parts.map((part): CitationField => {
        const [of = '', vocabulary] = part.split(':')
        const typeClass = vocabulary === undefined ? classes.p : classes.v
        return { name: of, typeClass, multiple: false, parts: [] }
      }),
    }
  })

/** The block as `GET /api/metadatablocks/citation` describes it. */
export const citationBlock: Json = {
  id: 1,
  name: 'citation',
  displayName: 'Citation Metadata',
  displayOnCreate: true,
  fields: described(citationFields),
}

function described(fields: readonly CitationField[]): Json {
  return Object.fromEntries(
    fields.map(({ parts, ...field }) => [
      field.name,
      {
        ...field,
        displayName: field.name,
        title: field.name,
        type: parts.length > 0 ? 'NONE' : 'TEXT',
        ...(field.name === 'subject' && { controlledVocabularyValues: subjects }),
        isControlledVocabulary: field.typeClass === 'controlledVocabulary',
        isRequired: false,
        ...(parts.length > 0 && { childFields: described(parts) }),
      },
    ]),
  )
}
