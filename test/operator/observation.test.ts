import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testDaemon } from '../support/test-daemon.ts'

describe('GET /ready', () => {
  it('answers 200 without a token', async () => {
    await using daemon = await testDaemon()

    const reply = await fetch(`${daemon.origin}/ready`)

    expect(reply.status).toBe(200)
    expect(await reply.json()).toEqual({ status: 'ready' })
  })
})

describe('GET /metrics', () => {
  it('counts requests by method, route and status', async () => {
    await using daemon = await testDaemon()
    await daemon.visitor.get('/deposits/')
    await daemon.visitor.get('/deposits/')

    const text = await metricsOf(daemon.origin)

    const line = 'deposit_http_requests_total{method="GET",route="/api/deposits",status="401"} 2'
    expect(text).not.toMatch(/^# TYPE \S+_total gauge$/m)
    expect(text).toContain(line)
  })

  it('counts commits and their units, and bytes that came in', async () => {
    await using daemon = await testDaemon()
    const draft = await daemon.as('ada').createDraft()
    await daemon.as('ada').putObject(draft, 'a.bin', Buffer.alloc(200_000))

    const text = await metricsOf(daemon.origin)

    expect(valueOf(text, 'deposit_commit_units_count')).toBeGreaterThanOrEqual(4)
    expect(valueOf(text, 'deposit_http_received_bytes_total')).toBeGreaterThan(200_000)
    expect(valueOf(text, 'deposit_uploads_under_way')).toBe(0)
    expect(valueOf(text, 'deposit_blobs')).toBe(1)
    expect(valueOf(text, 'deposit_degraded')).toBe(0)
    expect(valueOf(text, 'deposit_stored_bytes')).toBe(200_000)
    expect(valueOf(text, 'deposit_users')).toBe(1)
    expect(valueOf(text, 'deposit_drafts')).toBe(1)
    expect(valueOf(text, 'deposit_records')).toBe(0)
    expect(valueOf(text, 'deposit_fault{part="database"}')).toBe(0)
    expect(valueOf(text, 'deposit_disk_free_bytes{folder="home"}')).toBeGreaterThan(0)
    // On the same disk.
    expect(text).not.toContain('folder="blobs"')
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds')
  })

  it('shows the age of the last backup, the version, and the number of failed sign-ins', async () => {
    await using daemon = await testDaemon()
    const headers = { authorization: 'Bearer dep_pt_none' }
    await fetch(`${daemon.origin}/api/deposits/`, { headers })
    const before = await metricsOf(daemon.origin)
    expect(before).toContain('deposit_backup_age_seconds +Inf')
    expect(before).toMatch(/^deposit_info\{version="[\d.]+"\} 1$/m)
    expect(valueOf(before, 'deposit_sign_in_failures_total{kind="token"}')).toBe(1)

    // Like a script that backs up by other means.
    await writeFile(join(daemon.home, 'last-backup'), '')
    const age = valueOf(await metricsOf(daemon.origin), 'deposit_backup_age_seconds')
    expect(age).toBeLessThan(3600)
  })

  it('contains no id of a deposit', async () => {
    await using daemon = await testDaemon()
    const draft = await daemon.as('ada').createDraft()
    await daemon.as('ada').show(draft)

    expect(await metricsOf(daemon.origin)).not.toContain(draft.id)
  })
})

async function metricsOf(origin: string): Promise<string> {
  return (await fetch(`${origin}/metrics`)).text()
}

function valueOf(text: string, name: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length))
}
