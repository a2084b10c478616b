import { sortedName } from '../contract/person-names.ts'
import type { Agent } from '../describe/description.ts'
import { publicAddress, standingNote, untitled, type ExportFormat } from './format.ts'

/** An entry for reference managers. @see https://en.wikipedia.org/wiki/RIS_(file_format) */
export const ris: ExportFormat = {
  name: 'ris',
  title: 'RIS',
  mediaTypes: ['application/x-research-info-systems'],
  extension: '.ris',
  write: (about) => {
    const [year = '', month = '', day = ''] = about.date.split('-')
    const lines = [
      ['TY', types.get(about.resourceType?.general ?? '') ?? 'GEN'],
      ...about.creators.map((creator) => ['AU', toName(creator)]),
      ['TI', about.title ?? untitled],
      ['PY', year],
      ['DA', [year, month, day, ''].join('/')],
      ['PB', about.publisher.name],
      ['ET', about.version],
      ['LA', about.language],
      ['AB', about.description?.replaceAll(/\s+/gu, ' ')],
      ...about.keywords.map((keyword) => ['KW', keyword]),
      ['DO', about.doi],
      ['UR', publicAddress(about)],
      ['N1', standingNote(about)],
    ].filter(([, value]) => value !== undefined)
    return [...lines.map(([tag = '', value = '']) => `${tag}  - ${value}`), 'ER  - ', ''].join(
      '\r\n',
    )
  },
}

const types: ReadonlyMap<string, string> = new Map([
  ['Audiovisual', 'VIDEO'],
  ['Book', 'BOOK'],
  ['BookChapter', 'CHAP'],
  ['ComputationalNotebook', 'COMP'],
  ['ConferencePaper', 'CPAPER'],
  ['Dataset', 'DATA'],
  ['Dissertation', 'THES'],
  ['Image', 'FIGURE'],
  ['JournalArticle', 'JOUR'],
  ['Preprint', 'UNPB'],
  ['Report', 'RPRT'],
  ['Software', 'COMP'],
  ['Sound', 'SOUND'],
  ['Standard', 'STAND'],
])

function toName({ name, ...parts }: Agent): string {
  return sortedName(name, parts)
}
