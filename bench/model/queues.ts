/**
 * Probability that an arrival has to wait in M/M/c, by Erlang's formula C; `offered` is arrival rate x service time.
 */
export function erlangC(servers: number, offered: number): number {
  if (offered >= servers) return 1
  let blocked = 1
  for (let k = 1; k <= servers; k++) blocked = (offered * blocked) / (k + offered * blocked)
  return blocked / (1 - (offered / servers) * (1 - blocked))
}

/** A queue with Poisson arrivals and exponential service times, in seconds. */
export interface MMc {
  readonly servers: number
  readonly perSecond: number
  readonly service: number
}

/** Infinity where the queue grows without end. */
export function meanWait({ servers, perSecond, service }: MMc): number {
  const offered = perSecond * service
  return offered >= servers ? Infinity : (erlangC(servers, offered) * service) / (servers - offered)
}

/** The wait that a share of the arrivals does not exceed. */
export function quantileOfWait({ servers, perSecond, service }: MMc, share: number): number {
  const offered = perSecond * service
  if (offered >= servers) return Infinity
  const waiting = erlangC(servers, offered)
  return Math.max(0, (Math.log(waiting / (1 - share)) * service) / (servers - offered))
}
