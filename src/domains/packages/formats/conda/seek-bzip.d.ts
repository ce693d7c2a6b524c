declare module 'seek-bzip' {
  interface Input {
    readByte(): number
    read(target: Uint8Array, start: number, length: number): number
    eof(): boolean
  }
  interface Output {
    writeByte(byte: number): void
  }
  const bunzip: { decode(input: Input, output: Output, isMultistream?: boolean): void }
  // eslint-disable-next-line import/no-default-export -- the package's own shape
  export default bunzip
}
