/** Processor time of this thread in milliseconds. */
export function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
