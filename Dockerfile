# The notebooks in a browser, with netsim compiled:
#     docker build --tag netsim .
#     docker run --rm --publish 127.0.0.1:8888:8888 netsim
# The second command prints an address with a token; open that.
FROM python:3.11-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev make \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home netsim
USER netsim
WORKDIR /home/netsim/netsim
COPY --chown=netsim . .
RUN make dev
ENV PATH=/home/netsim/netsim/.venv/bin:$PATH
EXPOSE 8888
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--no-browser", "notebooks"]
