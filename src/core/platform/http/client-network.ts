import { isIPv6 } from 'node:net'

const GROUPS_OF_64_BITS = 4
/** A longer text, as a proxy may send one, is not an address. */
const MAX_ADDRESS_LENGTH = 64

/**
 * The key of limits per address: an IPv4 address by itself, mapped ones (`::ffff:192.0.2.1`) included, and an IPv6
 * address by its /64, which is the smallest network that one client gets.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address.slice(0, MAX_ADDRESS_LENGTH)
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const groups = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [head = '', tail = ''] = groups.split('::')
  const first = head.split(':').filter(Boolean)
  const last = tail.split(':').filter(Boolean)
  const zeros = groups.includes('::') ? Array.from({ length: 8 - first.length - last.length }, () => '0') : []
  return `${[...first, ...zeros, ...last].slice(0, GROUPS_OF_64_BITS).join(':')}::/64`
}
