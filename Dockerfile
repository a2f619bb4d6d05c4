# The provider's image: the program, the libraries that it names and the certificate authorities, and nothing else.
#   docker build --tag provider-kupenstack .
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends python3 ca-certificates
WORKDIR /src
# First what changes seldom: the packages stay in the cache of builds.
COPY scripts/debian-packages scripts/install-packages scripts/
RUN scripts/install-packages build
COPY . .
RUN cmake --preset release --log-level=WARNING \
 && cmake --build --preset release --target provider-kupenstack \
 && scripts/rootfs build/release/provider/cmd/provider-kupenstack /rootfs

FROM scratch
COPY --from=build /rootfs/ /
# Crossplane runs it as 2000; elsewhere it is nobody in particular, and never root.
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/provider-kupenstack"]
