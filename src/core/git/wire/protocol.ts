export type ProtocolVersion = 0 | 1 | 2

/**
 * The version a client asks for by the `Git-Protocol` header or the `GIT_PROTOCOL` variable: `key=value` pairs joined
 * by colons, the highest known version wins (gitprotocol-http(5)). Anything else is version 0.
 */
export function protocolVersion(text: string | undefined): ProtocolVersion {
  let best: ProtocolVersion = 0
  for (const pair of (text ?? '').split(':')) {
    if (pair === 'version=2') best = 2
    else if (pair === 'version=1' && best === 0) best = 1
  }
  return best
}

/** GIT_PROTOCOL for a child process; nothing of the client's text gets through. */
export const protocolEnv = (version: ProtocolVersion): Record<string, string> =>
  version === 0 ? {} : { GIT_PROTOCOL: `version=${version}` }
