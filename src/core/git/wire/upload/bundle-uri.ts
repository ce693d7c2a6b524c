import type { BundleUrl } from '../exchange.ts'
import { encodePkt, FLUSH } from '../pkt/pkt-line.ts'

const CAPABILITY = encodePkt('bundle-uri\n')

/** The advertisement of protocol v2 with the command `bundle-uri` where there is a bundle (gitprotocol-v2(5)). */
export async function withBundleUri(capabilities: Buffer, bundleUrl: BundleUrl | undefined): Promise<Buffer> {
  if ((await bundleUrl?.()) === undefined) return capabilities
  return Buffer.concat([capabilities.subarray(0, -FLUSH.length), CAPABILITY, FLUSH])
}

/** A list of one bundle, or of none where it is gone since it was advertised. */
export function answerBundleUri(url: string | undefined): Buffer {
  const list = ['bundle.version=1', 'bundle.mode=all', ...(url === undefined ? [] : [`bundle.clone.uri=${url}`])]
  return Buffer.concat([...list.map((line) => encodePkt(line)), FLUSH])
}
