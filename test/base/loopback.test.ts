import { describe, expect, it } from 'vitest'
import { isLoopbackHost, isPrivateWay, isSameService } from '../../core/base/loopback.ts'

describe('a host', () => {
  it.each(['localhost', '127.0.0.1', '127.8.9.10', '::1', '[::1]'])('is this machine: %s', (host) =>
    expect(isLoopbackHost(host)).toBe(true),
  )

  it.each(['', 'localhost.example.org', '127.0.0.1.example.org', '127.1', '0.0.0.0', '::2'])(
    'is not this machine: "%s"',
    (host) => expect(isLoopbackHost(host)).toBe(false),
  )
})

describe('an address', () => {
  it.each([
    ['https://example.org', true],
    ['http://127.0.0.1:80', true],
    ['http://[::1]', true],
    ['http://example.org', false],
    ['ftp://localhost', false],
  ])('the connection to %s is private: %s', (address, isPrivate) => {
    expect(isPrivateWay(new URL(address))).toBe(isPrivate)
  })

  it.each([
    ['http://localhost:1/a', 'http://127.0.0.1:1', true],
    ['http://localhost:1', 'http://127.0.0.1:2', false],
    ['http://localhost:1', 'https://127.0.0.1:1', false],
    ['https://example.org/a', 'https://example.org/b', true],
    ['https://example.org', 'https://example.com', false],
  ])('%s and %s are the same service: %s', (one, other, isSame) => {
    expect(isSameService(new URL(one), new URL(other))).toBe(isSame)
  })
})
