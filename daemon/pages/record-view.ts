import type { PublishedRecord } from '../../core/index.ts'
import type { Services } from '../api/services.ts'
import { toScriptJson } from './templates.ts'
import { languageName } from './text/text.ts'
import { toBibliography } from '../discovery/bibliography.ts'
import { findChanges } from './changes.ts'
import { toCitations } from '../discovery/citations.ts'
import { toFields } from './fields.ts'
import { toFiles } from '../discovery/files.ts'
import { toHighwire } from '../discovery/highwire.ts'
import { toJsonLd } from '../discovery/json-ld.ts'
import { mostCited, shorten } from '../discovery/shorten.ts'
import { inHead, toSignposts } from '../discovery/signposting.ts'
import { findVersions } from './versions.ts'

/** Everything the template of a record says, in the order of the page. */
export async function toRecordView(services: Services, whole: PublishedRecord) {
  const { records, links, parts } = services
  const { metadata, isCut } = shorten(whole.metadata)
  const record = { ...whole, metadata }
  const url = links.record(record)['html'] ?? links.recordItem(record.value)
  const about = toBibliography(record, url)
  const cited = toBibliography(
    { ...whole, metadata: shorten(whole.metadata, mostCited).metadata },
    url,
  )
  const files = toFiles(await records.files(record), links)
  const versions = await findVersions(services, record)
  const changes = await findChanges(records, whole)
  const fields = toFields(record, parts.schemas)
  return {
    title: about.title,
    about: {
      ...about,
      languageName: languageName(about.language),
      hasCreators: about.creators.length > 0,
      hasKeywords: about.keywords.length > 0,
    },
    fields: fields.length > 0 ? { list: fields } : undefined,
    files: { ...files, hasAny: files.list.length > 0 },
    allFiles: files.isCut ? { url: links.record(record)['files'] ?? '' } : undefined,
    citations: toCitations(cited),
    versions: versions.length > 1 ? { list: versions } : undefined,
    isCut,
    changes,
    allChanges:
      record.revision + 1 > changes.length ? { url: links.revisionList(record.value) } : undefined,
    json: links.recordItem(record.value),
    deposit: links.depositOf(record.deposit),
    head: {
      metas: toHighwire(cited, files.list),
      links: inHead(toSignposts({ record, about, files: files.list, links })),
      jsonLd: toScriptJson(toJsonLd(cited, files.list)),
    },
  }
}
