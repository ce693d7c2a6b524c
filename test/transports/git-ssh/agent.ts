import { createServer, type Server } from 'node:net'
import { framed } from '../../../src/core/platform/ssh/signature.ts'

/** A key that an agent holds: what it is, and how it signs. */
export interface AgentKey {
  readonly blob: Buffer
  /** The signature in SSH wire form over `data`; `flags` say which hash the client wants of an RSA key. */
  sign(data: Buffer, flags: number): Buffer
}

export interface Agent {
  /** Value of `IdentityAgent`. */
  readonly socket: string
  /** How often it has signed. */
  readonly signatures: () => number
  close(): Promise<void>
}

const [FAILURE, LIST, LISTED, SIGN, SIGNED] = [5, 11, 12, 13, 14]

/** An agent on a socket that real clients use as they use ssh-agent (draft-ietf-sshm-ssh-agent). */
export async function startAgent(socket: string, keys: readonly AgentKey[]): Promise<Agent> {
  let count = 0
  const answer = (message: Buffer): Buffer => {
    if (message[0] === LIST)
      return Buffer.concat([
        Buffer.of(LISTED),
        uint32(keys.length),
        ...keys.flatMap(({ blob }) => [framed(blob), framed('emulated')]),
      ])
    if (message[0] !== SIGN) return Buffer.of(FAILURE)
    const [blob, data] = [member(message, 1), member(message, 5 + message.readUInt32BE(1))]
    const key = keys.find((held) => held.blob.equals(blob))
    if (key === undefined) return Buffer.of(FAILURE)
    count++
    return Buffer.concat([Buffer.of(SIGNED), framed(key.sign(data, message.readUInt32BE(message.length - 4)))])
  }
  const server: Server = createServer((connection) => {
    let pending: Buffer = Buffer.alloc(0)
    connection.on('error', () => connection.destroy())
    connection.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk])
      while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE(0)) {
        const message = member(pending, 0)
        pending = pending.subarray(4 + message.length)
        connection.write(framed(answer(message)))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return { socket, signatures: () => count, close: () => new Promise((resolve) => server.close(() => resolve())) }
}

const member = (buffer: Buffer, at: number): Buffer => buffer.subarray(at + 4, at + 4 + buffer.readUInt32BE(at))

function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
