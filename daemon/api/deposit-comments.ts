import type { FastifyPluginAsync } from 'fastify'
import {
  commentBody,
  commentListBody,
  commentRequest,
  type CommentBody,
  type CommentRequest,
} from '../../core/contract/review.ts'
import { addComment, listComments, type ToldComment } from '../../core/index.ts'
import { jsonAlone } from '../config/serializers.ts'
import { json, repeatable } from './openapi/parameters.ts'
import { depositId, done, resource } from './route.ts'
import type { Services } from './services.ts'

/** `/deposits/{pid_value}/comments`: what owners and reviewers say to each other. */
export function depositComments(services: Services): FastifyPluginAsync {
  const { attempts, parts, routes } = services
  return async (app) => {
    resource(app, services, routes.commentList, {
      GET: {
        id: 'listComments',
        tag: 'deposits',
        summary: 'List the comments on a deposit and the steps of its review, oldest first',
        needs: 'read',
        answers: { 200: done(commentListBody) },
        offers: jsonAlone,
        handler: async (request) =>
          (await listComments(parts, request.caller, depositId(request))).map(toCommentBody),
      },
      POST: {
        id: 'addComment',
        tag: 'deposits',
        summary: 'Comment on a deposit',
        needs: 'comment',
        headers: repeatable,
        body: json(commentRequest),
        isChecked: true,
        answers: { 201: done(commentBody) },
        offers: jsonAlone,
        handler: async (request, reply) => {
          const { text } = request.body as CommentRequest
          using attempt = await attempts.begin(request)
          return await attempt.answer(reply, {
            content: text,
            run: (answered) =>
              addComment(parts, request.caller, depositId(request), text, (unit, made) =>
                answered(unit, () => ({ status: 201, headers: {}, body: toCommentBody(made) })),
              ),
          })
        },
      },
    })
  }
}

function toCommentBody(comment: ToldComment): CommentBody {
  const { id, at, by, name, text, action, revision } = comment
  return {
    id,
    at,
    by: { id: by, ...(name !== undefined && { name }) },
    text,
    ...(action !== undefined && { action }),
    revision,
  }
}
