import { describe, expect, it } from 'vitest'
import { fetchDepositId, mintDepositPid } from '../../core/pid/deposit-pid.ts'
import { mintRecid } from '../../core/pid/record-minters.ts'

describe('the identifier of a deposit', () => {
  it('is minted as a registered depid of a record, with a new value each time', () => {
    const pid = mintDepositPid()

    expect(pid).toMatchObject({ type: 'depid', objectType: 'rec', status: 'R' })
    expect(mintDepositPid().value).not.toBe(pid.value)
  })

  it('is fetched from `_deposit.id` of a document', () => {
    const { value } = mintDepositPid()

    expect(fetchDepositId({ title: 'x', _deposit: { id: value } })).toBe(value)
    expect(fetchDepositId({ title: 'x' })).toBeUndefined()
    expect(fetchDepositId({ _deposit: { id: 7 } })).toBeUndefined()
  })
})

describe('a recid', () => {
  it('is reserved, so that its record can be edited', () => {
    expect(mintRecid()).toMatchObject({ type: 'recid', objectType: 'rec', status: 'K' })
  })

  it('has eight characters that cannot be misread, and two check digits that hold', () => {
    const { value } = mintRecid()
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
    const text = value.replace('-', '')
    const number = Array.from(text.slice(0, 8)).reduce(
      (sum, character) => sum * 32n + BigInt(alphabet.indexOf(character)),
      0n,
    )

    expect(value).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{3}\d\d$/)
    expect((number * 100n + BigInt(text.slice(8))) % 97n).toBe(1n)
  })
})
