import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes of the request line and all headers of a request. */
export const HEADER_BYTES = 16 * 1024

const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, `the request line and the headers are larger than ${HEADER_BYTES} bytes`],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the headers did not arrive in time'],
}

/** Answers what Node's parser refuses before there is a request, and ends the connection. */
export function answerClientError({ code }: { readonly code?: string }, socket: Socket, docsUrl: string): void {
  if (code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const [status, message] = REFUSALS[code ?? ''] ?? [400, 'the request is not valid HTTP']
  const body = `${JSON.stringify({ message, url: docsUrl })}\n`
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json;charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  )
}
