import type { FastifyPluginAsync } from 'fastify'
import { createAnnouncedFiles, createMd5Sums } from '../../../core/index.ts'
import type { Services } from '../../api/services.ts'
import { draftRoutes } from './drafts.ts'
import { toRdmProblem } from './errors.ts'
import { fileListRoutes, fileRoutes } from './files.ts'
import { recordRoutes } from './records.ts'
import { vocabularyRoutes } from './vocabularies.ts'

/**
 * InvenioRDM's interface of drafts and records over our deposits: the same users, tokens, limits and
 * use cases.
 *
 * @param origin scheme, host and port that clients see
 * @see https://inveniordm.docs.cern.ch/reference/rest_api_drafts_records/
 */
export function rdmRoutes(services: Services, origin: () => string): FastifyPluginAsync {
  const { parts } = services
  const announced = createAnnouncedFiles(parts)
  const rdm = { services, origin, announced, md5: createMd5Sums(parts) }
  return async (app) => {
    app.addHook('onRoute', (route) => {
      route.config = { ...route.config, writeProblem: toRdmProblem }
    })
    await app.register(async (room) => draftRoutes(room, rdm))
    await app.register(async (room) => fileListRoutes(room, rdm))
    await app.register(async (room) => fileRoutes(room, rdm))
    await app.register(async (room) => recordRoutes(room, rdm))
    await app.register(async (room) => vocabularyRoutes(room, rdm))
  }
}
