import type { PageData } from '../../text/page-data.ts'

export type Page = PageData

/** Reads what the daemon wrote into the document. */
export function readPage(): Page {
  const source = document.getElementById('page-data')?.textContent ?? ''
  // The daemon that made the document made this as well.
  return JSON.parse(source) as Page
}

/** Address of a deposit's page. */
export function pageUrl({ pages }: Pick<Page, 'pages'>, id: string): string {
  return fillPath(pages.deposit, id)
}

/** Address of the page of a record. */
export function recordUrl({ pages }: Pick<Page, 'pages'>, value: string): string {
  return fillPath(pages.record, value)
}

/** As {@link recordUrl}. @param url of the record in the REST interface, which ends in its identifier */
export function recordUrlOf(page: Pick<Page, 'pages'>, url: string): string {
  return recordUrl(page, decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? ''))
}

/** A path with its identifier filled in. */
export function fillPath(path: string, value: string): string {
  return path.replace('{pid_value}', encodeURIComponent(value))
}

/** The kind of record, where there are several. */
export function kindOf({ schemas }: Page, schema: string | undefined): string | undefined {
  if (schemas.length < 2 || schema === undefined) return undefined
  return schemas.find(({ path }) => schema.endsWith(`/${path}`))?.title
}
