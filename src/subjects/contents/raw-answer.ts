import type { FastifyReply } from 'fastify'
import { type Answer, bytes } from '../../http/answer.ts'
import { abortOnClose } from '../../http/stream.ts'
import { presentRawFile } from './raw-file.present.ts'
import type { RawFile } from './raw-files.ts'

/** A file as the whole, a part of it, or the news that the client has it. */
export async function rawAnswer(file: RawFile, reply: FastifyReply, isPublic: boolean): Promise<Answer> {
  const { request } = reply
  const { status, headers, window } = presentRawFile(file, request.headers, isPublic)
  if (status === 304) return { status, headers }
  if (window === undefined) return bytes(Buffer.from('invalid start range\n'), { ...headers }, status)
  const body = await file.body(window, abortOnClose(reply))
  return bytes(body, { ...headers }, status)
}
