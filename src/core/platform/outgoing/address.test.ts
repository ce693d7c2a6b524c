import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyAddress, plainAddress } from './address.ts'
import { createHostGuard, parseHostRules } from './host-rules.ts'

describe('classes of addresses', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['0:0:0:0:0:ffff:7f00:0001', 'loopback'],
    ['64:ff9b::7f00:1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'public'],
    ['192.168.0.1', 'private'],
    ['fd00::1', 'private'],
    ['::ffff:192.168.1.1', 'private'],
    ['169.254.169.254', 'special'],
    ['::ffff:a9fe:a9fe', 'special'],
    ['fe80::1', 'special'],
    ['fe80::1%eth0', 'special'],
    ['0.0.0.0', 'special'],
    ['::', 'special'],
    ['::7f00:1', 'special'],
    ['100.64.0.1', 'special'],
    ['224.0.0.1', 'special'],
    ['255.255.255.255', 'special'],
    ['ff02::1', 'special'],
    ['2002:7f00:1::', 'special'],
    ['2001:0:7f00:1::', 'special'],
    ['2001:db8::1', 'special'],
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['64:ff9b::808:808', 'public'],
  ])('%s is %s', (address, expected) => expect(classifyAddress(address)).toBe(expected))

  it('sees through every IPv6 form of an IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        const [a, b, c, d] = v4.split('.').map(Number) as [number, number, number, number]
        const tail = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        for (const form of [`::ffff:${v4}`, `::FFFF:${tail}`, `0:0:0:0:0:ffff:${tail}`, `64:ff9b::${tail}`]) {
          expect(plainAddress(form)).toBe(v4)
          expect(classifyAddress(form)).toBe(classifyAddress(v4))
        }
      }),
    )
  })

  it('parses every spelling of an IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) =>
        ['public', 'private', 'loopback', 'special'].includes(classifyAddress(address)),
      ),
    )
  })
})

describe('host rules', () => {
  const cases: [list: string, host: string, address: string, allowed: boolean][] = [
    ['', 'example.org', '93.184.215.14', true],
    ['', 'example.org', '127.0.0.1', false],
    ['', 'metadata', '169.254.169.254', false],
    ['external', 'example.org', '10.0.0.1', false],
    ['private', 'ci', '10.0.0.1', true],
    ['private', 'ci', '169.254.169.254', false],
    ['private', 'ci', '127.0.0.1', false],
    ['private', 'example.org', '93.184.215.14', false],
    ['loopback', 'localhost', '::1', true],
    ['loopback', 'localhost', '::ffff:127.0.0.1', true],
    ['*', 'anything', '169.254.169.254', true],
    ['10.20.0.0/16', 'x', '10.20.3.4', true],
    ['10.20.0.0/16', 'x', '::ffff:10.20.3.4', true],
    ['10.20.0.0/16', 'x', '10.21.3.4', false],
    ['192.168.1.7', 'x', '192.168.1.7', true],
    ['fd12::/16', 'x', 'fd12:1::1', true],
    ['*.example.org', 'git.example.org', '10.0.0.1', true],
    ['*.example.org', 'GIT.Example.ORG.', '10.0.0.1', true],
    ['*.example.org', 'example.org', '10.0.0.1', false],
    ['*.example.org', 'git.example.org.evil.test', '93.184.215.14', false],
    ['*.example.org', 'gitxexample.org', '93.184.215.14', false],
    ['external, git.internal', 'git.internal', '10.0.0.1', true],
  ]
  it.each(cases)('%s: %s at %s -> %s', (list, host, address, allowed) =>
    expect(parseHostRules(list).allows(host, address)).toBe(allowed),
  )

  it('refuses a list that it cannot read', () => {
    expect(() => parseHostRules('http://example.org')).toThrow('"http://example.org" is no host name')
  })
})

describe('host guard', () => {
  it('returns only allowed addresses, in the order of the resolver', async () => {
    const guard = createHostGuard('', 'test.hosts', async () => ['10.0.0.1', '93.184.215.14', '::1', '2606:4700::1111'])
    expect(await guard.resolve('example.org')).toEqual(['93.184.215.14', '2606:4700::1111'])
  })

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '0.0.0.0', '[fe80::1]'])(
    'refuses the address %s without asking a resolver',
    async (host) => {
      const guard = createHostGuard('', 'test.hosts', async () => ['93.184.215.14'])
      await expect(guard.resolve(host)).rejects.toMatchObject({ kind: 'refused' })
    },
  )

  it.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::ffff:7f00:1]/',
    'http://１２７.0.0.1/',
  ])('refuses %s, another spelling of loopback', async (url) => {
    const guard = createHostGuard('', 'test.hosts', async () => ['93.184.215.14'])
    await expect(guard.resolve(new URL(url).hostname)).rejects.toMatchObject({ kind: 'refused' })
  })

  it('says unreachable for a name that does not exist', async () => {
    const guard = createHostGuard('', 'test.hosts', () => Promise.reject(new Error('ENOTFOUND')))
    await expect(guard.resolve('nowhere.test')).rejects.toMatchObject({ kind: 'unreachable' })
  })
})
