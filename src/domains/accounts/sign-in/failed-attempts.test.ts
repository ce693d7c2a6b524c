import { describe, expect, it } from 'vitest'
import { type FailedAttempt, FailedAttempts } from './failed-attempts.ts'

const MINUTE = 60_000
const from = (address: string, userId = 0): FailedAttempt => ({
  client: { address, userAgent: 'test' },
  credential: { kind: 'password', id: 0 },
  userId,
})
const brief = (attempts: ReturnType<FailedAttempts['take']>) =>
  attempts.map(({ client, userId, attempts: count }) => [client.address, userId, count])

describe('failed attempts', () => {
  it('are reported at once first, and for the rest of the minute together at its end', () => {
    const failures = new FailedAttempts()
    failures.add(from('192.0.2.1', 7), 1_000)
    expect(failures.take(1_000)).toEqual([{ ...from('192.0.2.1', 7), attempts: 1, at: 1_000 }])
    for (let time = 2_000; time < 50_000; time += 1_000) failures.add(from('192.0.2.1', 7), time)
    expect(failures.take(59_999)).toEqual([])
    expect(failures.take(MINUTE)).toEqual([{ ...from('192.0.2.1', 7), attempts: 48, at: 2_000 }])
    expect(failures.isEmpty).toBe(true)
    failures.add(from('192.0.2.1', 7), MINUTE)
    expect(brief(failures.take(MINUTE))).toEqual([['192.0.2.1', 7, 1]])
  })

  it('are all reported at the end', () => {
    const failures = new FailedAttempts()
    failures.add(from('192.0.2.1'), 0)
    failures.take(0)
    failures.add(from('192.0.2.1'), 1)
    expect(brief(failures.take(2, { all: true }))).toEqual([['192.0.2.1', 0, 1]])
    expect(failures.take(2, { all: true })).toEqual([])
  })

  it('count an IPv6 client by its /64, separately for each account', () => {
    const failures = new FailedAttempts()
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1']) failures.add(from(address), 0)
    failures.add(from('2001:db8::3', 5), 0)
    expect(brief(failures.take(0))).toEqual([
      ['2001:db8::1', 0, 2],
      ['2001:db8:0:1::1', 0, 1],
      ['2001:db8::3', 5, 1],
    ])
  })

  it('count each credential separately', () => {
    const failures = new FailedAttempts()
    const ldap = { kind: 'ldap', id: 1 } as const
    failures.add(from('192.0.2.1'), 0)
    for (const credential of [ldap, { ...ldap, id: 2 }, ldap]) failures.add({ ...from('192.0.2.1'), credential }, 0)
    expect(failures.take(0).map(({ credential, attempts }) => [credential.kind, credential.id, attempts])).toEqual([
      ['password', 0, 1],
      ['ldap', 1, 2],
      ['ldap', 2, 1],
    ])
  })

  it('of one client on many accounts write six rows a minute', () => {
    const failures = new FailedAttempts()
    for (let userId = 1; userId <= 1000; userId++) failures.add(from('192.0.2.1', userId), 0)
    const reported = brief(failures.take(0))
    expect(reported).toHaveLength(6)
    expect(reported.at(-1)).toEqual(['192.0.2.1', 0, 995])
  })

  it('of many clients write a bounded number of rows without losing any attempt', () => {
    const failures = new FailedAttempts()
    for (let host = 0; host < 10_000; host++) failures.add(from(`10.1.${host >> 8}.${host & 255}`), 0)
    const reported = brief(failures.take(0))
    expect(reported).toHaveLength(201)
    expect(reported.at(-1)).toEqual(['', 0, 9800])
    failures.take(MINUTE)
    expect(failures.isEmpty).toBe(true)
  })
})
