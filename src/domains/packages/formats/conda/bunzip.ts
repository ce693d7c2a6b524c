import bunzip from 'seek-bzip'

/** The beginning of the file ends here, or enough was written: no error of the file. */
class End extends Error {}

/**
 * The first `max` bytes without compression by bzip2, of a file or its beginning. Throws for data that is not bzip2.
 * Call it in a task only.
 */
export function bunzipHead(bytes: Uint8Array, max: number): Buffer {
  let output = Buffer.allocUnsafe(1024 * 1024)
  let [read, written] = [0, 0]
  const input = {
    readByte() {
      if (read === bytes.length) throw new End()
      return bytes[read++]!
    },
    read(target: Uint8Array, start: number, length: number) {
      for (let at = start; at < start + length; at++) target[at] = input.readByte()
      return length
    },
    eof: () => read === bytes.length,
  }
  const collector = {
    writeByte(byte: number) {
      if (written === max) throw new End()
      if (written === output.length) output = Buffer.concat([output], Math.min(output.length * 2, max))
      output[written++] = byte
    },
  }
  try {
    bunzip.decode(input, collector, true)
  } catch (error) {
    if (!(error instanceof End)) throw error
  }
  return output.subarray(0, written)
}
