import type { FastifyRequest } from 'fastify'
import { wrongField, type SearchParameters } from '../../core/index.ts'

/** Items a page has at most. */
const mostOfPage = 100

/** Zenodo's parameters as those of our search. */
export function toSearch(
  { q, status, sort, page, size }: SearchParameters,
  usual: number,
): SearchParameters {
  const wanted = size === undefined ? String(usual) : one('size', size)
  const isTooMany = /^\d+$/.test(wanted) && Number(wanted) > mostOfPage
  return {
    ...(q !== undefined && q !== '' && { q }),
    ...(status !== undefined && status !== '' && { status: known(one('status', status)) }),
    ...(sort !== undefined && sort !== '' && { sort }),
    ...(page !== undefined && page !== '' && { page }),
    size: isTooMany ? String(mostOfPage) : wanted,
  }
}

/** @throws {DepositError} invalid_paging: a parameter is given more than once */
function one(field: string, value: string | readonly string[]): string {
  if (typeof value === 'string') return value
  throw wrongField('invalid_paging', field, 'Give it once.')
}

/** @throws {DepositError} invalid_paging: depositions have no such status */
function known(status: string): string {
  if (status === 'draft' || status === 'published') return status
  throw wrongField('invalid_paging', 'status', 'Not a valid choice: it is draft or published.')
}

interface Place {
  readonly offset: number
  readonly size: number
  readonly total: number
}

/** Addresses of the pages around; a token in the address of the request is no part of them. */
export function pagesAround(
  { query }: FastifyRequest,
  base: string,
  { offset, size, total }: Place,
): Readonly<Record<string, string>> {
  const page = Math.floor(offset / size) + 1
  const toUrl = (number: number): string => {
    const { access_token: _, ...asked } = query as Readonly<Record<string, string>>
    const all = new URLSearchParams({ ...asked, page: String(number), size: String(size) })
    return `${base}?${all.toString()}`
  }
  return {
    self: toUrl(page),
    ...(page > 1 && { prev: toUrl(page - 1) }),
    ...(offset + size < total && { next: toUrl(page + 1) }),
  }
}
