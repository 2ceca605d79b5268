/* Workers for pages that are read from file://, where browsers allow none: the search of this site
   runs in a hidden frame instead. Served over http, nothing changes. */
if (location.protocol === 'file:') {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.onmessage = this.onerror = null
      const frame = document.createElement('iframe')
      frame.hidden = true
      document.body.appendChild(frame)
      this.frame = frame
      const inside = frame.contentWindow
      inside.answer = data => {
        const event = new MessageEvent('message', {data})
        this.dispatchEvent(event)
        if (this.onmessage) this.onmessage(event)
      }
      this.ready = new Promise((resolve, reject) => { inside.loaded = resolve; inside.failed = reject })
      inside.document.open()
      inside.document.write(
        '<html><body><script>' +
        'window.postMessage = data => answer(data);' +
        // as a worker has it: loaded one after the other, and a promise for those who wait
        'window.importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise(' +
        '(resolve, reject) => { const script = document.createElement("script"); script.src = url;' +
        'script.onload = resolve; script.onerror = reject; document.body.appendChild(script) })),' +
        'Promise.resolve());' +
        '<\/script><script src="' + url + '" onload="loaded()" onerror="failed()"><\/script></body></html>')
      inside.document.close()
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent('message', {data})))
    }
    terminate() { this.frame.remove() }
  }
}
