import { Type, type Static } from 'typebox'

/** Characters of a message or a comment. */
export const mostOfComment = 4000

/**
 * Comments of one person on a deposit. Those who are neither owners nor reviewers write as long as
 * there are fewer on the deposit, too.
 */
export const mostComments = 250

/** Comments on a deposit of one who is neither its owner nor a reviewer. */
export const mostOfOthers = 50

/** Steps of the review of a deposit that are told; of more, the oldest submissions go first. */
export const mostSteps = 250

const text = Type.String({ minLength: 1, maxLength: mostOfComment, pattern: '\\S' })

/** The body of the action `submit`, which can do without. */
export const submitRequest = Type.Object(
  { message: Type.Optional({ ...text, description: 'For the reviewers.' }) },
  {
    additionalProperties: false,
    examples: [{ message: 'The files are those of the paper.' }],
  },
)
export type SubmitRequest = Static<typeof submitRequest>

/** The body of the action `return`. */
export const returnRequest = Type.Object(
  { message: { ...text, description: 'What has to be changed, for the owners.' } },
  {
    additionalProperties: false,
    examples: [{ message: 'Please name the instrument.' }],
  },
)
export type ReturnRequest = Static<typeof returnRequest>

/** The body of the action `accept`, which can do without where there is `If-Match`. */
export const acceptRequest = Type.Object(
  {
    revision: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The revision that was looked at, in place of `If-Match`.',
      }),
    ),
    message: Type.Optional({ ...text, description: 'For the owners.' }),
  },
  { additionalProperties: false, examples: [{ revision: 4 }] },
)
export type AcceptRequest = Static<typeof acceptRequest>

/** The body of a comment. */
export const commentRequest = Type.Object(
  { text },
  {
    additionalProperties: false,
    examples: [{ text: 'Is the time in UTC?' }],
  },
)
export type CommentRequest = Static<typeof commentRequest>

const time = Type.String({ format: 'date-time', description: 'ISO 8601 in UTC.' })

/** Where the review of a deposit stands. */
export const reviewBody = Type.Object({
  state: Type.Unsafe<'submitted' | 'returned' | 'accepted'>({
    type: 'string',
    enum: ['submitted', 'returned', 'accepted'],
  }),
  by: Type.Optional(Type.String({ description: 'Id of the user who brought it there.' })),
  at: time,
  revision: Type.Integer({
    minimum: 0,
    description: 'The deposit’s revision that was submitted, returned or accepted.',
  }),
  message: Type.Optional(Type.String()),
  submitted_by: Type.Optional(Type.String({ description: 'Id of the user who submitted it.' })),
})
export type ReviewBody = Static<typeof reviewBody>

/** A comment, or a step of the review. */
export const commentBody = Type.Object(
  {
    id: Type.String(),
    at: time,
    by: Type.Object({
      id: Type.String(),
      name: Type.Optional(Type.String({ description: 'Name, or else the e-mail address.' })),
    }),
    text: Type.String({ description: 'Empty for a step without a message.' }),
    action: Type.Optional(
      Type.Unsafe<ReviewStep>({
        type: 'string',
        enum: ['submit', 'take-back', 'return', 'accept'],
        description: 'The step of the review; absent for a comment.',
      }),
    ),
    revision: Type.Integer({ minimum: 0, description: 'The deposit’s revision then.' }),
  },
  { $id: 'Comment' },
)
export type CommentBody = Static<typeof commentBody>

/** Oldest first. */
export const commentListBody = Type.Array(commentBody)

/** An action of a review. */
export type ReviewStep = 'submit' | 'take-back' | 'return' | 'accept'
export type CommentListBody = Static<typeof commentListBody>
