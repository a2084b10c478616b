import { Type, type Static } from 'typebox'

/** Lists of terms that fields of a document take their values from, by name. */
export const vocabularies = {
  licenses: 'Licenses, by their SPDX identifiers',
  languages: 'Languages of ISO 639, by their shortest code',
  'resource-types': 'General resource types of DataCite 4.7',
  relations: 'Relation types of DataCite 4.7',
  roles: 'Contributor types of DataCite 4.7',
  subjects: 'Subjects; OECD’s Fields of Science unless an operator loads others',
  organizations: 'Organizations, as an operator has loaded them from ROR',
  funders: 'Funders, as an operator has loaded them from ROR',
} as const

export type VocabularyName = keyof typeof vocabularies

export const vocabularyNames = Object.keys(vocabularies) as readonly VocabularyName[]

export function isVocabulary(name: string): name is VocabularyName {
  return Object.hasOwn(vocabularies, name)
}

/** Schema of the vocabulary of a field: an annotation, which the form of the pages reads. */
export const vocabularyKeyword = 'vocabulary'

/** A term of a vocabulary. */
export const termBody = Type.Object(
  {
    id: Type.String({ description: 'The value that a document has.' }),
    title: Type.String({ description: 'Its name for people, in English.' }),
    aliases: Type.Optional(Type.Array(Type.String(), { description: 'Other names of it.' })),
    scheme: Type.Optional(Type.String({ description: 'The classification it is taken from.' })),
    uri: Type.Optional(Type.String({ description: 'An address that stands for it.' })),
    note: Type.Optional(Type.String({ description: 'What tells it from terms of the same name.' })),
  },
  { $id: 'Term' },
)
export type Term = Static<typeof termBody>

/** Answer of `GET /vocabularies/`. */
export const vocabularyListBody = Type.Object({
  vocabularies: Type.Array(
    Type.Object({
      name: Type.String(),
      title: Type.String(),
      terms: Type.Integer({ minimum: 0, description: 'How many terms it has.' }),
      links: Type.Object({ self: Type.String() }),
    }),
  ),
})

/** Answer of `GET /vocabularies/{name}`. */
export const termListBody = Type.Object({
  hits: Type.Object({
    hits: Type.Array(termBody),
    total: Type.Integer({ minimum: 0, description: 'Of loaded vocabularies, 2,000 at most.' }),
  }),
  links: Type.Object({
    self: Type.String(),
    prev: Type.Optional(Type.String()),
    next: Type.Optional(Type.String()),
  }),
})
