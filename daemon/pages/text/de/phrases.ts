import type { Phrases } from '../phrases.ts'
import { problemPhrases } from './problem-phrases.ts'
import { schemaPhrases } from './schema-phrases.ts'

/** What the service says in English elsewhere, in German. */
export const phrases: Phrases = { ...problemPhrases, ...schemaPhrases }
