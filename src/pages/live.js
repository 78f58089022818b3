// Updates a page from the server. With <body data-refresh="5"> the page is loaded every 5 s, and
// elements with an id and `data-live` are replaced when they have changed.
{
  const regions = () => document.querySelectorAll('[id][data-live]')
  /** Stores the server's last version of each region, so that the reader's input stays. */
  const serverRegions = new Map([...regions()].map((region) => [region.id, region.cloneNode(true)]))

  const parse = (text) => new DOMParser().parseFromString(text, 'text/html')

  /** Replaces the regions that have changed on the server, and restores the focus. */
  function show(fresh) {
    const focused = document.activeElement?.id
    for (const region of regions()) {
      const next = fresh.getElementById(region.id)
      if (next === null || serverRegions.get(region.id)?.isEqualNode(next)) continue
      serverRegions.set(region.id, next.cloneNode(true))
      region.replaceWith(next)
      if (next.contains(document.getElementById(focused))) document.getElementById(focused).focus()
    }
  }

  /** Loads the page and shows it, or says since when it is older. */
  async function load() {
    const status = document.getElementById('freshness')
    let why = ''
    try {
      const response = await fetch(location.href, {
        headers: { 'x-fresh': '1' },
        redirect: 'error',
        signal: AbortSignal.timeout(20_000),
      })
      const fresh = parse(await response.text())
      why = fresh.querySelector('[role=alert]')?.textContent ?? ''
      if (!response.ok) throw new Error(response.statusText)
      show(fresh)
      document.body.classList.remove('stale')
      status.textContent = ''
    } catch {
      if (document.body.classList.contains('stale')) return
      document.body.classList.add('stale')
      const since = new Date().toLocaleTimeString()
      status.textContent = `No answer since ${since}: what is shown is older. ${why}`
    }
  }

  const seconds = Number(document.body.dataset.refresh)
  async function keepFresh() {
    if (!document.hidden) await load()
    setTimeout(keepFresh, seconds * 1_000)
  }
  if (seconds > 0) setTimeout(keepFresh, seconds * 1_000)
}
