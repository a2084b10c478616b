import type { Agent, Description } from '../describe/description.ts'
import {
  publicAddress,
  some,
  standingNote,
  toJsonText,
  untitled,
  type ExportFormat,
} from './format.ts'

/** One item of CSL's data model. @see https://docs.citationstyles.org, "csl-data.json" */
export const cslJson: ExportFormat = {
  name: 'csl-json',
  title: 'CSL JSON',
  mediaTypes: ['application/vnd.citationstyles.csl+json'],
  suffix: '-csl',
  extension: '.json',
  write: (about) => toJsonText(toItem(about)),
}

function toItem(about: Description) {
  return {
    id: about.id,
    type: types.get(about.resourceType?.general ?? 'Dataset') ?? 'document',
    title: about.title ?? untitled,
    author: some(about.creators.map(toName)),
    editor: some(withRole(about, 'Editor')),
    translator: some(withRole(about, 'Translator')),
    issued: { 'date-parts': [about.date.split('-').map(Number)] },
    publisher: about.publisher.name,
    version: about.version,
    genre: about.resourceType?.general === 'Other' ? about.resourceType.id : undefined,
    abstract: about.description,
    keyword: about.keywords.length === 0 ? undefined : about.keywords.join(', '),
    language: about.language,
    DOI: about.doi,
    URL: publicAddress(about),
    note: standingNote(about),
  }
}

function withRole({ contributors }: Description, role: string) {
  return contributors.filter((each) => each.role === role).map(toName)
}

function toName({ name, family, given, suffix }: Agent) {
  return family === undefined ? { literal: name } : { family, given, suffix }
}

const types: ReadonlyMap<string, string> = new Map([
  ['Audiovisual', 'motion_picture'],
  ['Book', 'book'],
  ['BookChapter', 'chapter'],
  ['Collection', 'collection'],
  ['ComputationalNotebook', 'software'],
  ['ConferencePaper', 'paper-conference'],
  ['ConferenceProceeding', 'book'],
  ['DataPaper', 'article-journal'],
  ['Dataset', 'dataset'],
  ['Dissertation', 'thesis'],
  ['Event', 'event'],
  ['Image', 'graphic'],
  ['Journal', 'periodical'],
  ['JournalArticle', 'article-journal'],
  ['PeerReview', 'review'],
  ['Poster', 'speech'],
  ['Preprint', 'article'],
  ['Presentation', 'speech'],
  ['Report', 'report'],
  ['Software', 'software'],
  ['Sound', 'song'],
  ['Standard', 'standard'],
])
