import { expect, it, vi } from 'vitest'
import { tellTime } from '../../daemon/operator/command/terminal-voice.ts'

it('a command that is silent for long tells what it does, and for how long, until it ends', () => {
  vi.useFakeTimers()
  const told: string[] = []
  const tell = (kind: string, text: string): void => void told.push(`${kind} ${text}`)
  try {
    const telling = tellTime({ tell, signal: AbortSignal.any([]) }, 'Adding 5000 users')
    vi.advanceTimersByTime(2500)
    telling[Symbol.dispose]()
    vi.advanceTimersByTime(2500)
  } finally {
    vi.useRealTimers()
  }

  expect(told).toEqual(['progress Adding 5000 users: 1 s', 'progress Adding 5000 users: 2 s'])
})
