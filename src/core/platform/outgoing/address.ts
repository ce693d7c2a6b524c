import { BlockList, isIP } from 'node:net'

/**
 * What an address is for. `public` is global unicast; `private` RFC 1918 and unique local; `special` everything else:
 * link-local with the metadata services of clouds, unspecified, multicast, documentation, carrier networks, tunnels.
 */
export type AddressClass = 'public' | 'private' | 'loopback' | 'special'

const V4: Readonly<Record<Exclude<AddressClass, 'public'>, readonly string[]>> = {
  loopback: ['127.0.0.0/8'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  // IANA IPv4 Special-Purpose Address Registry, and multicast and reserved space up to broadcast.
  special: [
    '0.0.0.0/8',
    '100.64.0.0/10',
    '169.254.0.0/16',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.175.48.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/3',
  ],
}
const GLOBAL_V6 = '2000::/3'
const LOOPBACK_V6 = '::1/128'
const UNIQUE_LOCAL_V6 = 'fc00::/7'
/** Within 2000::/3 but not reachable: Teredo and other protocol assignments, documentation, 6to4, AS112. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

const listOf = (ranges: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const range of ranges) addRange(list, range)
  return list
}

const v4 = { loopback: listOf(V4.loopback), private: listOf(V4.private), special: listOf(V4.special) }
const v6 = {
  global: listOf([GLOBAL_V6]),
  loopback: listOf([LOOPBACK_V6]),
  local: listOf([UNIQUE_LOCAL_V6]),
  special: listOf(SPECIAL_V6),
}

/** Adds `address/bits` or one address; false when the text is neither. */
export function addRange(list: BlockList, range: string): boolean {
  const match = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(range)
  const family = match && isIP(match[1]!)
  if (!match || !family) return false
  const maxBits = family === 4 ? 32 : 128
  const bits = match[2] === undefined ? maxBits : Number(match[2])
  if (bits > maxBits) return false
  list.addSubnet(match[1]!, bits, family === 4 ? 'ipv4' : 'ipv6')
  return true
}

export const inRanges = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

/**
 * The IPv4 address that an IPv6 one stands for: mapped (`::ffff:1.2.3.4`) or behind NAT64; else the address itself.
 * Without a zone.
 */
export function plainAddress(address: string): string {
  const bare = address.replace(/%.*$/, '')
  if (isIP(bare) !== 6) return bare
  const groups = expand(bare)
  const prefix = groups.slice(0, 6).join(':')
  if (prefix !== '0:0:0:0:0:65535' && prefix !== '100:65435:0:0:0:0') return bare
  const [high, low] = [groups[6]!, groups[7]!]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Throws for a text that is not an address. */
export function classifyAddress(address: string): AddressClass {
  const plain = plainAddress(address)
  const family = isIP(plain)
  if (family === 0) throw new TypeError(`not an address: ${address}`)
  if (family === 4) {
    for (const name of ['loopback', 'private', 'special'] as const) if (v4[name].check(plain, 'ipv4')) return name
    return 'public'
  }
  if (v6.loopback.check(plain, 'ipv6')) return 'loopback'
  if (v6.local.check(plain, 'ipv6')) return 'private'
  return v6.global.check(plain, 'ipv6') && !v6.special.check(plain, 'ipv6') ? 'public' : 'special'
}

/** The eight groups of a valid IPv6 address. */
function expand(address: string): number[] {
  const text = address.replace(/\d+(?:\.\d+){3}$/, (dotted) => {
    const [a, b, c, d] = dotted.split('.').map(Number) as [number, number, number, number]
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = '', tail] = text.split('::')
  const groups = (part: string | undefined): number[] =>
    part ? part.split(':').map((group) => parseInt(group, 16)) : []
  const [first, last] = [groups(head), groups(tail)]
  return tail === undefined ? first : [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}
