import type { PublishedRecord } from '../../../core/index.ts'
import type { Services } from '../../routes/services.ts'
import { toScriptJson } from '../templates.ts'
import { languageName } from '../text/units.ts'
import { toBibliography } from './bibliography.ts'
import { toChanges } from './changes.ts'
import { toCitations } from './citations.ts'
import { toFields } from './fields.ts'
import { toFiles } from './files.ts'
import { toHighwire } from './highwire.ts'
import { toJsonLd } from './json-ld.ts'
import { inHead, toSignposts } from './signposting.ts'
import { findVersions } from './versions.ts'

/** Everything the template of a record says, in the order of the page. */
export async function toRecordView(services: Services, record: PublishedRecord) {
  const { records, links, parts } = services
  const url = links.record(record)['html'] ?? links.recordItem(record.value)
  const about = toBibliography(record, url)
  const files = toFiles(await records.files(record), links)
  const versions = await findVersions(services, record)
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
    citations: toCitations(about),
    versions: versions.length > 1 ? { list: versions } : undefined,
    changes: toChanges(await records.revisions(record.value)),
    json: links.recordItem(record.value),
    deposit: links.depositItem(record.deposit.id),
    head: {
      metas: toHighwire(about, files.list),
      links: inHead(toSignposts({ record, about, files: files.list, links })),
      jsonLd: toScriptJson(toJsonLd(about, files.list)),
    },
  }
}
