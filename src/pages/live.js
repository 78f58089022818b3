// Updates a page from the server. With <body data-refresh="5"> the page is loaded every 5 s, and on
// the document's event `refresh`; what its form with `data-refresh` holds is sent along. Elements
// with an id and `data-live` are replaced when they have changed.
{
  let turn = 0

  const regions = () => document.querySelectorAll('[id][data-live]')
  /** Stores the server's last version of each region, so that the reader's input stays. */
  const serverRegions = new Map([...regions()].map((region) => [region.id, region.cloneNode(true)]))

  const parse = (text) => new DOMParser().parseFromString(text, 'text/html')

  /** Replaces changed regions; what is open or focused stays. With other ones it loads anew. */
  function show(text) {
    const fresh = parse(text)
    const list = (page) => [...page.querySelectorAll('[id][data-live]')].map(({ id }) => id).join()
    if (list(fresh) !== list(document)) return location.reload()
    const focused = document.activeElement?.id
    for (const region of regions()) {
      const next = fresh.getElementById(region.id)
      if (next === null || serverRegions.get(region.id)?.isEqualNode(next)) continue
      serverRegions.set(region.id, next.cloneNode(true))
      const opened = region.querySelectorAll('details')
      for (const [index, part] of next.querySelectorAll('details').entries())
        part.open = opened[index]?.open ?? part.open
      region.replaceWith(next)
      if (next.contains(document.getElementById(focused))) document.getElementById(focused).focus()
    }
  }

  /** Loads the page and shows it, unless it was loaded again since. */
  async function refresh() {
    turn += 1
    const ownTurn = turn
    const form = document.querySelector('form[data-refresh]')
    const post = form && { method: 'POST', body: new URLSearchParams(new FormData(form)) }
    const status = document.getElementById('freshness')
    let why = ''
    try {
      const response = await fetch(location.href, {
        ...post,
        headers: { 'x-fresh': '1' },
        redirect: 'error',
        signal: AbortSignal.timeout(20_000),
      })
      const text = await response.text()
      if (ownTurn !== turn) return
      if (!response.ok) {
        why = parse(text).querySelector('[role=alert]')?.textContent ?? ''
        throw new Error(response.statusText)
      }
      show(text)
      document.body.classList.remove('stale')
      if (status) status.textContent = ''
    } catch {
      if (ownTurn !== turn || document.body.classList.contains('stale')) return
      document.body.classList.add('stale')
      const since = new Date().toLocaleTimeString()
      if (status) status.textContent = `No answer since ${since}: what is shown is older. ${why}`
    }
  }
  document.addEventListener('refresh', refresh)

  const seconds = Number(document.body.dataset.refresh)
  async function keepFresh() {
    if (!document.hidden) await refresh()
    setTimeout(keepFresh, seconds * 1_000)
  }
  if (seconds > 0) setTimeout(keepFresh, seconds * 1_000)
}
