import { deposit, newDraft } from '../support/cli-at-daemon.ts'
import { nobody, type CommandCase, type Refusal } from './command-case.ts'

/** The deposit does not exist. */
const notFound = (...rest: readonly string[]): Refusal => ({
  args: () => [nobody, ...rest],
  status: 3,
})

/** The commands for people of a deposit, and links to it. */
export const sharingCases: Readonly<Record<string, CommandCase>> = {
  share: {
    works: async () => [await newDraft(), 'bob@example.org', '--role', 'editor'],
    misused: [nobody, 'bob@example.org', '--role', 'boss'],
    refused: notFound('bob@example.org'),
  },
  unshare: {
    works: async () => {
      const id = await newDraft()
      await deposit(['share', id, 'bob@example.org'])
      return [id, 'bob@example.org']
    },
    misused: [nobody],
    refused: notFound('bob@example.org'),
  },
  people: {
    works: async () => [await newDraft()],
    misused: [nobody, 'another'],
    refused: notFound(),
  },
  transfer: {
    works: async () => [await newDraft(), 'bob@example.org'],
    misused: [nobody],
    refused: notFound('bob@example.org'),
  },
  'link create': {
    works: async () => [await newDraft(), '--label', 'Reviewer 2'],
    misused: [nobody, '--expires', 'soon'],
    refused: notFound(),
  },
  'link list': {
    works: async () => [await newDraft()],
    misused: [nobody, 'another'],
    refused: notFound(),
  },
  'link revoke': {
    works: async () => {
      const id = await newDraft()
      const made = await deposit(['link', 'create', id, '--json'])
      const { id: link } = JSON.parse(made.stdout) as { readonly id: string }
      return [id, link]
    },
    misused: [nobody],
    refused: notFound('0b7c1f00-0000'),
  },
}
