import type { FastifyReply } from 'fastify'
import type { Services } from '../api/services.ts'
import type { PageSettings, TemplateName } from '../config/page-looks.ts'
import type { PageView } from './templates.ts'

/** What the routes of the pages are made of. */
export interface PageParts {
  readonly services: Services
  readonly settings: PageSettings
  /** Sends a page: from a template, with the headers that every page has. */
  readonly send: SendPage
}

export type SendPage = (
  reply: FastifyReply,
  name: TemplateName,
  view: PageView,
) => Promise<FastifyReply>
